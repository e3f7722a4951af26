import { PlatformError } from '../../contract/errors.ts';
import { startHostProcess } from '../../node/host-process.ts';
import { readDiscovery } from './host-finder.ts';
import type { OwnHost } from './host-supervisor.ts';

export interface HostChildOptions {
  /** The Node that runs it; null where this installation has none. */
  readonly node: string | null;
  /** Entry of the host process. */
  readonly serveFile: string;
  readonly dataDir: string;
  /** Further flags of the host. */
  readonly flags: readonly string[];
  /** Port of the previous host, so that an open page keeps its address; the host takes another port if this one is in use. */
  readonly lastPort: string | null;
  readonly env: NodeJS.ProcessEnv;
  /** Kills a host that is not ready yet. */
  readonly giveUp: AbortSignal;
}

/**
 * Starts the host as `platform serve` does, on the same Node, so that a flood, a stuck loop or a crash of it never takes the
 * window down. Resolves once it is ready; rejects with its own error, or with its last output. It stops when this process dies,
 * and then leaves its bots running, because its user was not asked whether they should stop.
 */
export async function startHostChild(options: HostChildOptions): Promise<OwnHost> {
  const { lastPort, flags } = options;
  if (lastPort === null) return start(options);
  try {
    return await start({ ...options, flags: [...flags, '--port', lastPort] });
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'INVALID_REQUEST') return start(options);
    throw error;
  }
}

async function start({ node, serveFile, dataDir, flags, env, giveUp }: HostChildOptions): Promise<OwnHost> {
  if (node === null) {
    const message = 'This installation has no Node, and the host cannot run without one';
    throw new PlatformError('INTERNAL', message, { hint: 'Install Bot Platform again.' });
  }
  const given = ['--leave-bots-if-parent-dies', ...flags];
  const host = await startHostProcess({ node, serveFile, dataDir, flags: given, env, logFile: null, giveUp });
  const found = readDiscovery(dataDir);
  if (found?.pid === host.pid) {
    return { url: found.url, token: found.token, pid: found.pid, exited: host.exited, kill: host.kill };
  }
  host.stop();
  throw new PlatformError('INTERNAL', `host.json in ${dataDir} is not of the host that has just started`, {
    hint: '`platform doctor` checks this machine.',
  });
}
