import { safeJsonObject } from '../../../shared/json.ts';
import { typed } from '../../../shared/typed-command.ts';

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

const quoted = (text: string): string => (/^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
const has = (params: object): boolean => Object.keys(params).length > 0;

/** The same question on the command line. */
export function asCli(botId: string, { path, params, timeoutSec }: Question): string {
  const given = has(params) ? ` --params ${quoted(JSON.stringify(params))}` : '';
  const timeout = timeoutSec === null ? '' : ` --timeout ${timeoutSec}`;
  return typed(`bot query ${botId} ${quoted(path)}${given}${timeout}`);
}

/** The same question over HTTP. */
export function asCurl(origin: string, botId: string, { path, params, timeoutSec }: Question): string {
  const body = {
    path,
    ...(has(params) ? { params } : {}),
    ...(timeoutSec === null ? {} : { timeout_sec: timeoutSec }),
  };
  return [
    `curl -X POST ${origin}/bot/${botId}/query`,
    `-H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}

/** The same question as the call of a tool by an assistant. */
export function asMcp(botId: string, { path, params, timeoutSec }: Question): string {
  const input = {
    bot_id: botId,
    query_path: path,
    ...(has(params) ? { params } : {}),
    ...(timeoutSec === null ? {} : { timeout_sec: timeoutSec }),
  };
  return JSON.stringify({ method: 'tools/call', params: { name: 'bot_query', arguments: input } }, null, 2);
}

/** The paths that a bot says it answers; empty when it says something else. */
export function pathsOf(info: unknown): readonly string[] {
  if (typeof info !== 'object' || info === null || !('available_queries' in info)) return [];
  const { available_queries: paths } = info;
  return Array.isArray(paths) ? paths.filter((path): path is string => typeof path === 'string') : [];
}
