import { type UtilityProcess, utilityProcess } from 'electron';
import { PlatformError } from '../../contract/errors.ts';
import { systemErrorCode } from '../../node/system-error.ts';
import { isJsonObject } from '../../shared/json.ts';
import { parsed, toldError } from './host-api.ts';
import { readDiscovery } from './host-finder.ts';
import type { OwnHost } from './host-supervisor.ts';

export interface HostChildOptions {
  /** Entry of the host process. */
  readonly serveFile: string;
  readonly dataDir: string;
  /** Further flags of the host. */
  readonly flags: readonly string[];
  /** Port of the host before this one: a page that is open stays where it is. Given up where it is taken. */
  readonly lastPort: string | null;
}

const LAST_CHARS = 2000;

/** Keeps the last output of a process, and reads on so that it never blocks. */
function lastOf(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    text = (text + chunk).slice(-LAST_CHARS);
  });
  return () => text;
}

/** The first line on stdout; '' when the process ends before. */
function firstLine(child: UtilityProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout?.setEncoding('utf8');
    child.stdout?.on('data', (chunk: string) => {
      if (text.includes('\n')) return;
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.stdout?.once('end', () => resolve(text));
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error;
  }
}

/**
 * Starts the host as a utility process, so that a flood, a stuck loop or a crash of it never takes the window down.
 * Resolves once it is ready; rejects with its own error, or with its last output. It dies with this process, and its
 * bots stay.
 */
export async function startHostChild(options: HostChildOptions): Promise<OwnHost> {
  const { lastPort, flags } = options;
  if (lastPort === null) return fork(options);
  try {
    return await fork({ ...options, flags: [...flags, '--port', lastPort] });
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'INVALID_REQUEST') return fork(options);
    throw error;
  }
}

async function fork({ serveFile, dataDir, flags }: HostChildOptions): Promise<OwnHost> {
  const child = utilityProcess.fork(serveFile, ['--data', dataDir, ...flags], {
    serviceName: 'Bot Platform host',
    stdio: 'pipe',
  });
  const said = lastOf(child.stderr);
  const exited = new Promise<{ code: number; said: string }>((resolve) => {
    child.once('exit', (code) => resolve({ code, said: said() }));
  });
  const line = await Promise.race([firstLine(child), exited.then(() => '')]);
  const ready = parsed(line);
  const found = isJsonObject(ready) && ready.ready === true ? readDiscovery(dataDir) : null;
  if (found !== null)
    return { url: found.url, token: found.token, pid: found.pid, exited, kill: () => kill(found.pid) };
  const { code } = await exited;
  const last = `${line}\n${said()}`.trim();
  const error = toldError(ready, `The host ended before it was ready (code ${code})${last === '' ? '' : `: ${last}`}`);
  if (error.hint !== null) throw error;
  throw new PlatformError(error.code, error.message, {
    hint: '`platform doctor` checks this machine.',
    details: error.details,
    cause: error,
  });
}
