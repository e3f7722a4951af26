import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PlatformError } from '../contract/errors.ts';
import { type HostProcess, startHostProcess } from '../node/host-process.ts';
import { hostNode, SERVE_FILE } from './product-paths.ts';

export interface HostOptions {
  readonly dataDir: string;
  /** Further flags of the host, such as `--port 4747`. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The host lives on when this process ends; its own output goes to `serve.log` in the data folder. */
  readonly background: boolean;
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

/** Starts a host of this product and waits until it is ready. Throws the host's own error, or its last output. */
export async function startHost({ background, dataDir, ...options }: HostOptions): Promise<HostProcess> {
  prepareFolder(dataDir);
  const logFile = background ? join(dataDir, 'serve.log') : null;
  const host = await startHostProcess({ ...options, dataDir, logFile, node: hostNode(), serveFile: SERVE_FILE });
  host.stderr?.on('data', (text: string) => process.stderr.write(text));
  return host;
}
