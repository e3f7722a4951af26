import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Adapter, end, makePlace, startAdapter, within } from './adapter.ts';
import { short } from './expected-query-answers.ts';
import type { Finding } from './query-server.ts';

const START_MS = 20_000;
const TEMPORARY = /^\.tmp-\d+-\d+$/;

/** resources/sdk/vectors/kills.json: what is written in turn while the kills come. */
interface Kills {
  readonly fn: string;
  readonly key: string;
  /** Large enough that many kills meet a write. */
  readonly large: { readonly times: number; readonly letters: number };
  readonly small: { readonly times: number; readonly values: readonly unknown[] };
  readonly rounds: number;
  /** How much later each kill comes than the one before. */
  readonly later_by_ms: number;
}

/** Kills the adapter while it writes; the difference to what a reader may find, or null. */
async function killOnce(adapter: Adapter, kills: Kills, dir: string, delayMs: number): Promise<string | null> {
  const { fn, key, large, small } = kills;
  const place = makePlace(dir);
  const texts = ['a', 'b'].map((letter) => letter.repeat(large.letters));
  const inTurn = (times: number, values: readonly unknown[]) =>
    Array.from({ length: times }, (_, at) => ({ fn, args: [key, values[at % values.length]] }));
  const steps = [...inTurn(large.times, texts), ...inTurn(small.times, small.values)];
  const running = startAdapter(adapter, place);
  try {
    running.child.stdin?.end(JSON.stringify({ steps }));
    const file = join(place.state, `${key}.json`);
    for (const until = Date.now() + START_MS; !existsSync(file); ) {
      if (Date.now() > until) return `it has written no state after ${START_MS / 1000} s`;
      if ((await within(5, running.ended)) !== null) return 'it ended before it wrote any state';
    }
    await wait(delayMs);
    await end(running);
    const text = readFileSync(file, 'utf8');
    const known = [...texts, ...small.values].map((value) => JSON.stringify(value));
    if (!known.includes(text))
      return `after a kill, the value of a key begins with ${short(text.slice(0, 60))} and has ${text.length} letters`;
    const odd = readdirSync(place.state).find((name) => name !== `${key}.json` && !TEMPORARY.test(name));
    return odd === undefined
      ? null
      : `after a kill, ${odd} is left: temporary files are named .tmp-<pid>-<n>, so that the host finds them`;
  } finally {
    await end(running);
  }
}

/** Looks at state under kills. */
export async function checkKills(adapter: Adapter, resourcesDir: string, folder: () => string): Promise<Finding[]> {
  const kills = JSON.parse(readFileSync(join(resourcesDir, 'sdk/vectors/kills.json'), 'utf8')) as Kills;
  for (let round = 0; round < kills.rounds; round += 1) {
    const wrong = await killOnce(adapter, kills, folder(), round * kills.later_by_ms);
    if (wrong !== null) return [['state under kills', wrong]];
  }
  return [['state under kills', null]];
}

const STOP_BYTES = 512;
const HOOK_BYTES = 4096;

interface Hook {
  readonly reasons?: readonly string[];
  readonly ended?: { readonly error: string | null } | null;
}

function readHook(file: string): Hook {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Hook;
  } catch {
    // Blank, or half written.
    return {};
  }
}

/** Looks at the stop hook (docs/contract/running-bots.md#control): `on_stop` of an adapter logs `stopped: <reason>`. */
export async function checkStopHook(adapter: Adapter, folder: () => string): Promise<Finding[]> {
  const place = makePlace(folder());
  const [hook, stop] = [join(place.dir, 'hook'), join(place.dir, 'stop')];
  const [token, other] = ['ct_right', 'ct_wrong'];
  writeFileSync(hook, ' '.repeat(HOOK_BYTES));
  writeFileSync(stop, ' '.repeat(STOP_BYTES));
  const env = { CONTROL_DIR: place.dir, CONTROL_TOKEN_SHA256: createHash('sha256').update(token).digest('hex') };
  const running = startAdapter(adapter, place, { env });
  /** What became of it before this came true, in words; null once it is. */
  const until = async (what: (found: Hook) => boolean): Promise<string | null> => {
    for (const late = Date.now() + START_MS; Date.now() < late; ) {
      if (what(readHook(hook))) return null;
      const ended = await within(20, running.ended);
      if (ended !== null) return `it ends with ${ended.signal ?? ended.code}`;
    }
    return `after ${START_MS / 1000} s it goes on`;
  };
  const tell = (shown: string, reason: string): void =>
    writeFileSync(stop, JSON.stringify({ token: shown, reason, until: Date.now() + 10_000 }).padEnd(STOP_BYTES), {
      flag: 'r+',
    });
  const found = async (): Promise<string | null> => {
    running.child.stdin?.end(
      JSON.stringify({
        steps: [
          { fn: 'on_stop', args: ['any'] },
          { fn: 'sleep', args: [60_000] },
        ],
      }),
    );
    const untold = await until(({ reasons }) => reasons?.includes('any') === true);
    if (untold !== null) return `it does not tell CONTROL_DIR of its handler: ${untold}`;
    tell(other, 'panic');
    await wait(400);
    if (readHook(hook).ended != null) return 'it obeys a token that is not that of its host';
    tell(token, 'guard');
    const unasked = await until(({ ended }) => ended != null);
    if (unasked !== null) return `it does not run its handler when the host asks for it: ${unasked}`;
    if (readHook(hook).ended?.error !== null) return `its handler fails: ${readHook(hook).ended?.error}`;
    await end(running);
    const { stderr } = await running.ended;
    return stderr === 'stopped: guard\n' ? null : `its handler logs ${short(stderr)}, wanted "stopped: guard"`;
  };
  try {
    return [['stop hook', await found()]];
  } finally {
    await end(running);
  }
}
