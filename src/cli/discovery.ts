import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlatformError } from '../contract/errors.ts';
import type { Discovery } from '../contract/host.ts';
import { isJsonObject } from '../isomorphic/json.ts';

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw new PlatformError('FORBIDDEN', `${file} belongs to another user`, {
      hint: 'Name your own data folder with --data, or that host with --url and log in to it.',
      cause: error,
    });
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PlatformError('HOST_UNREACHABLE', `${file} is damaged`, { hint: 'Start the host again.', cause });
  }
}

/**
 * What `host.json` of a data folder says (wire.md section 1); null without a host, or for a file of another kind.
 * FORBIDDEN for another user's, HOST_UNREACHABLE for a damaged one.
 */
export function readDiscovery(dataDir: string): Discovery | null {
  const file = join(dataDir, 'host.json');
  const text = readText(file);
  const value = text === null ? null : parsed(text, file);
  if (!isJsonObject(value)) return null;
  const { url, port, pid, started_at, version, token } = value;
  if (typeof url !== 'string' || typeof token !== 'string' || typeof pid !== 'number') return null;
  return { url, token, pid, port: Number(port), started_at: String(started_at), version: String(version) };
}

/** Whether a process of this id is there. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ESRCH') return false;
    // It is there, and belongs to somebody else.
    if (code === 'EPERM') return true;
    throw error;
  }
}

/**
 * The host of a data folder that runs; null without one, errors as of readDiscovery. A host that was killed leaves its file
 * behind, and its port to any other program: that one must get neither its token nor what is sent to a host.
 */
export function runningHost(dataDir: string): Discovery | null {
  const found = readDiscovery(dataDir);
  return found !== null && isRunning(found.pid) ? found : null;
}
