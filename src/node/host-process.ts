import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { PlatformError } from '../contract/errors.ts';
import { isJsonObject, parsedOrNull } from '../shared/json.ts';
import { toldError } from '../shared/parse-told-error.ts';
import { withoutApiKey } from '../shared/without-api-key.ts';
import { errorText } from './system-error.ts';

/** A host to be started as a process of its own. */
export interface HostProcessOptions {
  /** The Node that runs it. */
  readonly node: string;
  /** Entry of the host process: `serve.js` of the build. */
  readonly serveFile: string;
  readonly dataDir: string;
  /** Further flags of the host, such as `--port 4747`. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /**
   * A file for its stderr: the host outlives this process. Null: a pipe connects the two, and the host stops when this
   * process dies.
   */
  readonly logFile: string | null;
  /** Kills a host that is not ready yet. */
  readonly giveUp?: AbortSignal;
}

/** Exit of a host's process. */
export interface HostEnd {
  /** Null after a signal. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** End of its output on stderr. */
  readonly said: string;
}

/** A host that was started by this process and is ready. */
export interface HostProcess {
  readonly url: string;
  readonly pid: number;
  readonly notes: readonly string[];
  /** The host's further output on stderr; null where it goes to a file. */
  readonly stderr: Readable | null;
  readonly exited: Promise<HostEnd>;
  /** Asks the host to end in order. */
  stop(): void;
  /** Ends its process at once. */
  kill(): void;
}

const LAST_CHARS = 2000;

/** Describes the exit of a process for people: `code 1` or `SIGKILL`. */
export const endWords = ({ code, signal }: Pick<HostEnd, 'code' | 'signal'>): string => signal ?? `code ${code}`;

function spawnHost({ node, serveFile, dataDir, flags, env, logFile }: HostProcessOptions): ChildProcess {
  const args = [serveFile, '--data', dataDir, ...flags];
  // The host gets a group of its own: Ctrl-C in a terminal then reaches this process alone, which ends the host in order. On
  // Windows the host also stays out of the job in which libuv ends children with their parent.
  const common = { detached: true, env: withoutApiKey(env), windowsHide: true };
  if (logFile === null) return spawn(node, args, { ...common, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawn(node, args, { ...common, stdio: ['ignore', 'pipe', log] });
  } finally {
    closeSync(log);
  }
}

/** Keeps the end of a stream, and reads on so that the process never blocks. */
function lastOf(stream: Readable | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-LAST_CHARS);
  });
  return () => text;
}

/** Resolves once all output of a process that ended is read; rejects when it could not be started. */
function closeOf(child: ChildProcess, node: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      const message = `The host could not be started with ${node}: ${errorText(cause)}`;
      reject(new PlatformError('INTERNAL', message, { hint: '`platform doctor` checks this machine.', cause }));
    });
    child.once('close', () => resolve());
  });
}

/** The host's own error, or its last output. */
function failure(line: string, said: string, end: Pick<HostEnd, 'code' | 'signal'>): PlatformError {
  const output = `${line}\n${said}`.trim().slice(-LAST_CHARS);
  const message = `The host ended before it was ready (${endWords(end)})${output === '' ? '' : `:\n${output}`}`;
  const { code, message: text, hint, details } = toldError(parsedOrNull(line), message);
  return new PlatformError(code, text, { hint: hint ?? '`platform doctor` checks this machine.', details });
}

/** Starts a host and waits until it is ready. Throws the host's own error, or its last output. */
export async function startHostProcess(options: HostProcessOptions): Promise<HostProcess> {
  const child = spawnHost(options);
  const kill = (): void => void child.kill('SIGKILL');
  const said = lastOf(child.stderr);
  const closed = closeOf(child, options.node);
  // Not `close`: that never comes after this side has closed the channel.
  const exited = new Promise<HostEnd>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, said: said() }));
  });
  if (child.stdout === null) throw new Error('the host has no output');
  const lines = createInterface({ input: child.stdout });
  // An output that cannot be read any more ends with the process, which is waited for.
  lines.on('error', () => undefined);
  const first = new Promise<string>((resolve) => lines.once('line', resolve));
  options.giveUp?.addEventListener('abort', kill, { once: true });
  try {
    const line = await Promise.race([first, closed.then(() => '')]);
    const ready = parsedOrNull(line);
    if (!isJsonObject(ready) || typeof ready.url !== 'string' || typeof ready.pid !== 'number') {
      await closed;
      throw failure(line, said(), await exited);
    }
    if (options.logFile !== null) {
      lines.close();
      child.stdout.destroy();
      child.unref();
    }
    return {
      url: ready.url,
      pid: ready.pid,
      notes: Array.isArray(ready.notes) ? ready.notes.map(String) : [],
      stderr: child.stderr,
      exited,
      stop() {
        // The closed channel is what Ctrl-C is on every system; Windows has no signal for it.
        if (child.connected) child.disconnect();
      },
      kill,
    };
  } finally {
    options.giveUp?.removeEventListener('abort', kill);
  }
}
