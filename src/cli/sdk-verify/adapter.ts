import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** The command of an adapter (docs/sdks.md#adapter), and the folder in which it was typed. */
export interface Adapter {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The environment of whoever verifies; the adapter gets it without what the contract defines. */
  readonly env: NodeJS.ProcessEnv;
}

/** The outcome of an adapter that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An adapter that runs, with folders of its own. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Folder of one start, with the files that the contract names. */
export interface Place {
  readonly dir: string;
  readonly state: string;
  readonly result: string;
  readonly answer: string;
}

/** Names of the contract: nothing of them reaches an adapter from outside. */
const CONTRACT =
  /^(?:BOT_\w+|QUERY_\w+|PLATFORM_\w+|CONTROL_\w+|ID|CONFIG|RUN_ID|CODE_MOUNT_DIR|STATE_DIR|RESULT_FILE)$/;

/** The program of an adapter cannot be started. */
export class AdapterMissing extends Error {}

export function makePlace(dir: string): Place {
  const state = join(dir, 'state/.platform');
  mkdirSync(state, { recursive: true });
  return { dir, state, result: join(dir, 'result.json'), answer: join(dir, 'query.json') };
}

async function endOf(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr };
}

/** Starts an adapter as a host starts a program. `more`: further arguments; `warm`: descriptor 4 is a pipe. */
export function startAdapter(
  { program, args, cwd, env }: Adapter,
  place: Place,
  more: {
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly warm?: true;
  } = {},
): Running {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !CONTRACT.test(name)));
  const child = spawn(program, [...args, ...(more.args ?? [])], {
    cwd,
    env: {
      ...own,
      BOT_ID: 'bot_vector',
      BOT_CONFIG: '{"symbol":"SPY","n":5}',
      STATE_DIR: place.state,
      CODE_MOUNT_DIR: place.dir,
      RESULT_FILE: place.result,
      ...more.env,
    },
    stdio: ['pipe', 'pipe', 'pipe', 'ignore', more.warm === true ? 'pipe' : 'ignore'],
    // In a group of its own: what a wrapper such as `go run` or `sh -c` starts ends with it.
    detached: process.platform !== 'win32',
  });
  // An adapter need not read its input.
  child.stdin?.on('error', () => child.stdin?.destroy());
  const ended = endOf(child).catch((error: NodeJS.ErrnoException) => {
    throw new AdapterMissing(`The adapter ${program} cannot be started: ${error.code ?? error.message}.`);
  });
  // Whoever waits hears of it; without this line, a program that is missing would end this one first.
  ended.catch(() => undefined);
  return { child, ended };
}

/** Sends a signal to an adapter and what it has started. */
export function signal({ child }: Running, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(name);
    else process.kill(-child.pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Kills an adapter and waits for its end. */
export async function end(running: Running): Promise<void> {
  signal(running, 'SIGKILL');
  await running.ended.catch(() => undefined);
}

/** A free port of this machine. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** What a promise gives within this time; null when it takes longer. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
