import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Adapter, type Ended, end, makePlace, type Place, startAdapter, within } from './adapter.ts';

/** A case of resources/sdk/vectors/vectors.json. */
export interface VectorCase {
  readonly name: string;
  readonly steps: readonly { readonly fn: string; readonly args: readonly unknown[] }[];
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly result: string | null;
  readonly exit: number;
  /** The program has to fail, and these words stand on stderr, in place of `exit` and `stderr`. */
  readonly fails?: string;
  readonly state: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** What came of a case. `missing`: the adapter does not know a function of it. */
export type Outcome =
  | { readonly is: 'ok' }
  | { readonly is: 'missing'; readonly fn: string }
  | { readonly is: 'fault'; readonly what: string };

const CASE_MS = 30_000;
/** What an adapter says, as its last line and with exit code 64, of a function that its SDK has not. */
const UNKNOWN = /^unknown function: ([\w.]{1,100})$/;
const UNKNOWN_EXIT = 64;
const SHOWN = 300;

export function readVectors(resourcesDir: string): readonly VectorCase[] {
  const text = readFileSync(join(resourcesDir, 'sdk/vectors/vectors.json'), 'utf8');
  return (JSON.parse(text) as { readonly cases: readonly VectorCase[] }).cases;
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** The time of a metric, which is now, as 0. */
function untimed(line: string, started: number): string {
  const [, time] = /"timestamp":(\d{13})\}$/.exec(line) ?? [];
  const isNow = time !== undefined && Number(time) >= started && Number(time) <= Date.now();
  return isNow ? line.replace(/"timestamp":\d{13}\}$/, '"timestamp":0}') : line;
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
};

/** The first difference between what a case wants and what came, in words; null without one. */
function difference(wanted: Readonly<Record<string, unknown>>, came: Readonly<Record<string, unknown>>): string | null {
  for (const [name, value] of Object.entries(wanted)) {
    if (isDeepStrictEqual(value, came[name])) continue;
    const [all, found] = [value, came[name]];
    if (!Array.isArray(all) || !Array.isArray(found)) return `${name} is ${shown(found)}, wanted ${shown(all)}`;
    const at = all.findIndex((line, index) => line !== found[index]);
    const line = at < 0 ? all.length : at;
    return `line ${line + 1} of ${name} is ${shown(found[line] ?? null)}, wanted ${shown(all[line] ?? null)}`;
  }
  return null;
}

function judge(one: VectorCase, ended: Ended, place: Place, started: number): Outcome {
  const stderr = linesOf(ended.stderr);
  const unknown = ended.code === UNKNOWN_EXIT ? UNKNOWN.exec(stderr.at(-1) ?? '')?.[1] : undefined;
  if (unknown !== undefined) {
    return one.steps.some(({ fn }) => fn === unknown)
      ? { is: 'missing', fn: unknown }
      : { is: 'fault', what: `it says that it does not know the function ${unknown}, for which nobody asks it` };
  }
  const came = {
    exit: ended.code ?? ended.signal,
    stdout: linesOf(ended.stdout).map((line) => untimed(line, started)),
    stderr,
    result: existsSync(place.result) ? readFileSync(place.result, 'utf8') : null,
    state: Object.fromEntries(
      readdirSync(place.state).map((name) => [name, readFileSync(join(place.state, name), 'utf8')]),
    ),
  };
  const { exit, stdout, result, state, fails } = one;
  if (fails === undefined) {
    const what = difference({ exit, stdout, stderr: one.stderr, result, state }, came);
    return what === null ? { is: 'ok' } : { is: 'fault', what };
  }
  if (came.exit === 0) return { is: 'fault', what: 'exit is 0, but it has to fail' };
  if (!ended.stderr.includes(fails)) return { is: 'fault', what: `stderr does not say ${shown(fails)}` };
  const what = difference({ stdout, result, state }, came);
  return what === null ? { is: 'ok' } : { is: 'fault', what };
}

/** Runs one case, in the empty folder `dir`. */
export async function runVector(adapter: Adapter, one: VectorCase, dir: string): Promise<Outcome> {
  const place = makePlace(dir);
  for (const [name, text] of Object.entries(one.files ?? {})) writeFileSync(join(place.state, name), text);
  const started = Date.now();
  const running = startAdapter(adapter, place, one.env === undefined ? {} : { env: one.env });
  try {
    running.child.stdin?.end(JSON.stringify({ steps: one.steps }));
    const ended = await within(CASE_MS, running.ended);
    if (ended === null) return { is: 'fault', what: `it had not ended after ${CASE_MS / 1000} s` };
    return judge(one, ended, place, started);
  } finally {
    await end(running);
  }
}
