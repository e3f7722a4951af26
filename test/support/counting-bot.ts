import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { TestHost } from './platform.ts';
import { lineUntil, type TinyBot } from './tiny-bot.ts';

/** Writes numbered lines, 5000 a second whatever else the machine does, until it is told to end. */
const SOURCE = `
import { existsSync } from 'node:fs';
const begin = performance.now();
let next = 0;
const timer = setInterval(() => {
  const due = Math.floor((performance.now() - begin) * 5);
  let text = '';
  while (next < due) text += 'line ' + next++ + '\\n';
  if (text !== '') process.stdout.write(text);
  if (!existsSync(process.env.STATE_DIR + '/end')) return;
  clearInterval(timer);
  console.log('wrote ' + next);
  setInterval(() => {}, 1000);
}, 10);`;

export const COUNTING: TinyBot = { name: 'counting', runtime: 'nodejs24', bot: SOURCE };

/** What became of the lines of a counting bot. */
export interface Counted {
  readonly lines: number;
  readonly lost: number;
  readonly doubled: number;
  /** Each line stands behind the one that was written before it. */
  readonly ordered: boolean;
}

/** Lets a counting bot write its last line, and looks for every one in its log. */
export async function countLines(host: TestHost, botId: string): Promise<Counted> {
  writeFileSync(join(host.dataDir, 'bots', botId, 'state/.platform/end'), '');
  const last = await lineUntil(host, botId, 'wrote ');
  const lines = Number(last.message.slice('wrote '.length));
  const db = new Database(join(host.dataDir, 'bots', botId, 'log.db'), { readonly: true });
  const sql = "select line from log where line glob 'line [0-9]*' order by seq";
  const numbers = db
    .prepare<[], { line: string }>(sql)
    .all()
    .map(({ line }) => Number(line.slice('line '.length)));
  db.close();
  const different = new Set(numbers).size;
  const ordered = numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0));
  return { lines, lost: lines - different, doubled: numbers.length - different, ordered };
}
