import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { type Adapter, type Ended, end, makePlace, type Place, type Running, startAdapter, within } from './adapter.ts';
import { ANSWERS, ok, short } from './expected-query-answers.ts';
import type { Finding } from './query-server.ts';

const RUN_MS = 30_000;

/** What one query run has left, compared with what it should have. */
function judge(place: Place, ended: Ended | null, status: number, body: object): string | null {
  if (ended === null) return `had not ended after ${RUN_MS / 1000} s`;
  if (!existsSync(place.answer)) return `writes no QUERY_RESULT_FILE, and says ${short(ended.stderr.slice(-300))}`;
  const text = readFileSync(place.answer, 'utf8');
  let found: unknown = text;
  try {
    found = JSON.parse(text);
  } catch {
    return `writes ${short(text)}, which is no JSON`;
  }
  if (!isDeepStrictEqual(found, body)) return `writes ${short(found)}, wanted ${short(body)}`;
  const code = status === 200 ? 0 : 1;
  if (ended.code !== code) return `ends with ${ended.signal ?? ended.code}, wanted ${code}`;
  const left = readdirSync(place.state);
  return left.length === 0 ? null : `leaves ${left.join(', ')} in the state folder`;
}

/** Answers the one question of an environment. */
async function runOnce(
  adapter: Adapter,
  dir: string,
  env: Readonly<Record<string, string>>,
  status: number,
  body: object,
) {
  const place = makePlace(dir);
  const running = startAdapter(adapter, place, { args: ['query'], env: { QUERY_RESULT_FILE: place.answer, ...env } });
  running.child.stdin?.end();
  const ended = await within(RUN_MS, running.ended);
  await end(running);
  return judge(place, ended, status, body);
}

/** Looks at query runs, as scheduled bots have them. */
export async function checkRuns(adapter: Adapter, folder: () => string): Promise<Finding[]> {
  let wrong: string | null = null;
  for (const [path, status, body] of ANSWERS) {
    const found = await runOnce(adapter, folder(), { QUERY_PATH: path }, status, body);
    if (found !== null) wrong ??= `${path} ${found}`;
  }
  const QUERY_PARAMS = '{"n":"2","list":"[1]","t":"ü"}';
  const env = { QUERY_PATH: '/echo', QUERY_PARAM_n: '1', QUERY_PARAM_b: 'x', QUERY_PARAMS };
  const body = ok({ path: '/echo', params: { n: '2', b: 'x', list: '[1]', t: 'ü' }, n: '2' });
  const params = await runOnce(adapter, folder(), env, 200, body);
  return [
    ['query run', wrong],
    [
      'its parameters',
      params === null ? null : `with QUERY_PARAMS and QUERY_PARAM_<name>, of which the former wins, it ${params}`,
    ],
  ];
}

interface Waiting {
  readonly running: Running;
  readonly place: Place;
  /** The word that it reports at this place, the first one at 0; else what became of it instead, in words. */
  readonly reported: (at: number) => Promise<{ readonly word: string } | { readonly instead: string }>;
}

function wait(adapter: Adapter, dir: string): Waiting {
  const place = makePlace(dir);
  const env = { QUERY_RESULT_FILE: place.answer, PLATFORM_QUERY_WARM: '4' };
  const running = startAdapter(adapter, place, { args: ['query'], env, warm: true });
  const pipe = running.child.stdio[4];
  let text = '';
  const words = (): string[] => text.split('\n').slice(0, -1);
  const listeners = new Set<() => void>();
  if (pipe instanceof Readable) {
    pipe.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      for (const listener of listeners) listener();
    });
  }
  const word = (at: number) =>
    new Promise<{ word: string } | { instead: string }>((resolve, reject) => {
      const look = (): void => {
        const found = words()[at];
        if (found !== undefined) resolve({ word: found });
      };
      listeners.add(look);
      look();
      running.ended.then(({ code, signal }) => {
        look();
        resolve({ instead: `it ends with ${signal ?? code}` });
      }, reject);
    });
  const reported = async (at: number) =>
    (await within(RUN_MS, word(at))) ?? { instead: `it has reported nothing after ${RUN_MS / 1000} s` };
  return { running, place, reported };
}

/** What an adapter does in place of the word that is due; null where it reports the word. */
function notTheWord(found: { readonly word: string } | { readonly instead: string }, due: string): string | null {
  if ('instead' in found) return `${found.instead} where "${due}" is due on PLATFORM_QUERY_WARM`;
  return found.word === due ? null : `it reports ${short(found.word)} to PLATFORM_QUERY_WARM where "${due}" is due`;
}

async function warmAnswer(adapter: Adapter, dir: string): Promise<string | null> {
  const { running, place, reported } = wait(adapter, dir);
  try {
    const ready = notTheWord(await reported(0), 'ready');
    if (ready !== null) return ready;
    if (existsSync(place.answer)) return 'it answers before it is asked';
    const params = { n: 'ü "1"', 'not-a-name': 'x', large: 'x'.repeat(60_000) };
    running.child.stdin?.write(`${JSON.stringify({ path: '/echo', params })}\n`);
    const done = notTheWord(await reported(1), 'done');
    if (done !== null) return done;
    const ended = await within(RUN_MS, running.ended);
    const wrong = judge(place, ended, 200, ok({ path: '/echo', params, n: params.n }));
    return wrong === null ? null : `it ${wrong}`;
  } finally {
    await end(running);
  }
}

async function warmWithout(adapter: Adapter, dir: string): Promise<string | null> {
  const { running, place, reported } = wait(adapter, dir);
  try {
    const ready = notTheWord(await reported(0), 'ready');
    if (ready !== null) return ready;
    running.child.stdin?.end('{"path":');
    const ended = await within(RUN_MS, running.ended);
    if (ended === null) return 'it goes on though no question can come any more';
    if (ended.code !== 0) return `it ends with ${ended.signal ?? ended.code} when no question comes, wanted 0`;
    return existsSync(place.answer) ? 'it answers half a question' : null;
  } finally {
    await end(running);
  }
}

/** Looks at query programs that are started ahead of their question (docs/contract/queries.md#warm). */
export async function checkWarm(adapter: Adapter, folder: () => string): Promise<Finding[]> {
  if (process.platform === 'win32') return [];
  return [
    ['warm start', await warmAnswer(adapter, folder())],
    ['no question', await warmWithout(adapter, folder())],
  ];
}
