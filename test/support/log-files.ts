import { join } from 'node:path';
import Database from 'better-sqlite3';
import { logFolder, segmentName, segmentsIn } from '../../src/main/host/logs/log-segments.ts';

/** Paths of the segments of a bot's log, the oldest first. */
export function logFiles(dataDir: string, botId: string): string[] {
  const dir = logFolder(dataDir, botId);
  return segmentsIn(dir).map((number) => join(dir, segmentName(number)));
}

/** Rows of one database. */
export function* rowsOf<Row>(file: string, sql: string, ...params: number[]): Generator<Row> {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    yield* db.prepare<unknown[], Row>(sql).iterate(...params);
  } finally {
    db.close();
  }
}

/** Rows of a bot's log, as its files hold them: of one segment after the other. */
export function* logRows<Row>(dataDir: string, botId: string, sql: string, ...params: number[]): Generator<Row> {
  for (const file of logFiles(dataDir, botId)) yield* rowsOf<Row>(file, sql, ...params);
}
