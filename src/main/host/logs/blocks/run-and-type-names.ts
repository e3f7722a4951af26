import type { Statements } from '../../../../node/statements.ts';
import { damage } from '../../../../node/storage-error.ts';

/** Names that are kept in memory: a scheduled bot has half a million runs in a year. */
const MOST_KEPT = 10_000;

/** Names of the runs and of the types of metrics of a segment, by their ids. */
export class RunAndTypeNames {
  readonly #statements: Statements;
  readonly #runs = new Map<number, string>();
  readonly #modes = new Map<number, string>();
  readonly #hasModes: boolean;
  readonly #types = new Map<number, string>();

  /** `hasModes`: its runs have modes. */
  constructor(statements: Statements, hasModes: boolean) {
    this.#statements = statements;
    this.#hasModes = hasModes;
  }

  /** Null for 0, which lines without a run have. @throws damage when the name is gone */
  runName(id: number): string | null {
    return id === 0 ? null : this.#name('run', this.#runs, id);
  }

  /** What a run trades with; null where that is not stored. */
  runMode(id: number): string | null {
    if (id === 0 || !this.#hasModes) return null;
    const known = this.#modes.get(id);
    if (known !== undefined) return known;
    const sql = 'select mode from run where id = ?';
    const mode = this.#statements.get<{ mode: string | null }>(sql, id)?.mode ?? null;
    // The host may come to know it.
    if (mode === null) return null;
    if (this.#modes.size >= MOST_KEPT) this.#modes.clear();
    this.#modes.set(id, mode);
    return mode;
  }

  runId(name: string): number | null {
    return this.#statements.get<{ id: number }>('select id from run where name = ?', name)?.id ?? null;
  }

  /** @throws damage when the name is gone */
  typeName(id: number): string {
    return this.#name('metric_type', this.#types, id);
  }

  typeId(name: string): number | null {
    return this.#statements.get<{ id: number }>('select id from metric_type where name = ?', name)?.id ?? null;
  }

  #name(table: 'run' | 'metric_type', known: Map<number, string>, id: number): string {
    let name: unknown = known.get(id);
    if (name === undefined) {
      name = this.#statements.get<{ name: unknown }>(`select name from ${table} where id = ?`, id)?.name;
      if (typeof name !== 'string') throw damage(`the name of ${table} ${id} is not as it was stored`);
      if (known.size >= MOST_KEPT) known.clear();
      known.set(id, name);
    }
    return String(name);
  }
}
