import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ERROR_RULES, type ErrorCode, PlatformError } from '../contract/errors.ts';
import { isJsonObject } from '../shared/json.ts';
import { withoutApiKey } from '../shared/without-api-key.ts';
import { hostNode, SERVE_FILE } from './resources.ts';

export interface HostOptions {
  readonly dataDir: string;
  /** Further flags of the host, such as `--port 4747`. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The host lives on when this process ends; its own output goes to `serve.log` in the data folder. */
  readonly background: boolean;
}

/** A host that was started by this process and is ready. */
export interface HostProcess {
  readonly url: string;
  readonly pid: number;
  readonly notes: readonly string[];
  /** Exit code, or null after a signal. */
  readonly exited: Promise<number | null>;
  /** Asks the host to end its bots and itself. */
  stop(): void;
}

const LAST_CHARS = 2000;

function failure(line: string, stderr: string): PlatformError {
  try {
    const value: unknown = JSON.parse(line);
    const error = isJsonObject(value) ? value.error : null;
    if (isJsonObject(error) && typeof error.code === 'string' && Object.hasOwn(ERROR_RULES, error.code)) {
      const hint = typeof error.hint === 'string' ? error.hint : undefined;
      return new PlatformError(error.code as ErrorCode, String(error.message), { hint, details: error.details });
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const said = `${line}\n${stderr}`.trim().slice(-LAST_CHARS);
  return new PlatformError('INTERNAL', `The host ended before it was ready${said === '' ? '' : `:\n${said}`}`, {
    hint: '`platform doctor` checks this machine.',
  });
}

/**
 * Makes the data folder, step by step: Node's recursive mkdir never returns where the system keeps nothing, as in
 * /proc.
 */
function makeFolder(dir: string): void {
  const stats = statSync(dir, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return;
  if (stats !== undefined) throw new Error('it is a file, not a folder');
  if (dirname(dir) !== dir) makeFolder(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another host of this folder may have been quicker.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  ENOENT: 'the system keeps no folders there',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'nothing can be written there',
  ENOSPC: 'the disk is full',
};

function prepareFolder(dataDir: string): void {
  try {
    makeFolder(resolve(dataDir));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const said = cause instanceof Error ? cause.message : String(cause);
    const why = REFUSALS[code] ?? said;
    throw new PlatformError('INVALID_REQUEST', `${dataDir} cannot be the data folder: ${why}`, {
      hint: 'Choose another one with --data or PLATFORM_DATA_DIR.',
      cause,
    });
  }
}

function spawnHost({ dataDir, flags, env, background }: HostOptions): ChildProcess {
  const args = [SERVE_FILE, '--data', dataDir, ...flags];
  // A group of its own: Ctrl-C of the terminal reaches this process alone, which then ends the host in order.
  const common = { detached: true, env: withoutApiKey(env), windowsHide: true };
  if (!background) return spawn(hostNode(), args, { ...common, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const log = openSync(join(dataDir, 'serve.log'), 'a', 0o600);
  try {
    return spawn(hostNode(), args, { ...common, stdio: ['ignore', 'pipe', log] });
  } finally {
    closeSync(log);
  }
}

/** Starts a host and waits until it is ready. Throws the host's own error, or its last output. */
export async function startHost(options: HostOptions): Promise<HostProcess> {
  prepareFolder(options.dataDir);
  const child = spawnHost(options);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-LAST_CHARS);
  });
  const closed = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  // Not `close`: that never comes after this side has closed the channel.
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (child.stdout === null) throw new Error('the host has no output');
  const lines = createInterface({ input: child.stdout });
  const first = new Promise<string>((resolve) => lines.once('line', resolve));
  const line = await Promise.race([first, closed.then(() => '')]);
  const ready: unknown = line.startsWith('{"ready":true') ? JSON.parse(line) : null;
  if (!isJsonObject(ready) || typeof ready.url !== 'string' || typeof ready.pid !== 'number') {
    await closed;
    throw failure(line, stderr);
  }
  if (options.background) {
    lines.close();
    child.stdout.destroy();
    child.unref();
  } else {
    child.stderr?.on('data', (text: string) => process.stderr.write(text));
  }
  return {
    url: ready.url,
    pid: ready.pid,
    notes: Array.isArray(ready.notes) ? ready.notes.map(String) : [],
    exited,
    stop() {
      // The closed channel is what Ctrl-C is on every system; Windows has no signal for it.
      if (child.connected) child.disconnect();
    },
  };
}
