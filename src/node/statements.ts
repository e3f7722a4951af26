import type Database from 'better-sqlite3';
import { damage } from './storage-error.ts';
import { errorText, systemErrorCode } from './system-error.ts';

export type Param = string | number | Buffer | null;

/**
 * Statements of one connection by their text, each prepared once. All are the host's own, so one that names what the
 * database lacks means damage.
 */
export class Statements {
  readonly #db: Database.Database;
  readonly #prepared = new Map<string, Database.Statement<unknown[]>>();

  constructor(db: Database.Database) {
    this.#db = db;
  }

  get<Row>(sql: string, ...params: Param[]): Row | undefined {
    return this.#prepare(sql).get(...params) as Row | undefined;
  }

  all<Row>(sql: string, ...params: Param[] | [Readonly<Record<string, Param>>]): Row[] {
    return this.#prepare(sql).all(...params) as Row[];
  }

  run(sql: string, ...params: Param[]): Database.RunResult {
    return this.#prepare(sql).run(...params);
  }

  #prepare(sql: string): Database.Statement<unknown[]> {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#prepareNew(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  #prepareNew(sql: string): Database.Statement<unknown[]> {
    try {
      return this.#db.prepare<unknown[]>(sql);
    } catch (error) {
      throw systemErrorCode(error) === 'SQLITE_ERROR' ? damage(errorText(error)) : error;
    }
  }
}
