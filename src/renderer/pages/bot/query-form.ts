import { safeJsonObject } from '../../../shared/json.ts';

/** One parameter as it is written: a text, or any JSON value. */
export interface ParamRow {
  readonly id: number;
  readonly name: string;
  readonly value: string;
  readonly kind: 'text' | 'JSON';
}

/** A question to a bot. */
export interface Question {
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly timeoutSec: number | null;
}

/** The parameters in the rows, or the problems of each by the row's id. */
export type Params =
  | { readonly ok: true; readonly params: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problems: ReadonlyMap<number, string> };

function paramOf(row: ParamRow): unknown {
  return row.kind === 'JSON' ? JSON.parse(row.value) : row.value;
}

/** Reads the rows. One without a name and value is not there yet. */
export function readParams(rows: readonly ParamRow[]): Params {
  const problems = new Map<number, string>();
  const entries: [string, unknown][] = [];
  const names = new Set<string>();
  for (const row of rows) {
    const name = row.name.trim();
    if (name === '' && row.value === '') continue;
    if (name === '') problems.set(row.id, 'A parameter needs a name');
    else if (names.has(name)) problems.set(row.id, `There are two parameters called ${name}`);
    names.add(name);
    try {
      entries.push([name, paramOf(row)]);
    } catch (error) {
      problems.set(row.id, `Not JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return problems.size === 0 ? { ok: true, params: safeJsonObject(entries) } : { ok: false, problems };
}

/** The paths that a bot says it answers; empty when it says something else. */
export function pathsOf(info: unknown): readonly string[] {
  if (typeof info !== 'object' || info === null || !('available_queries' in info)) return [];
  const { available_queries: paths } = info;
  return Array.isArray(paths) ? paths.filter((path): path is string => typeof path === 'string') : [];
}
