import { readFileSync } from 'node:fs';
import { PlatformError } from '../contract/errors.ts';
import type { Discovery } from '../contract/host.ts';
import { dataFolderAt } from '../node/data-folder.ts';
import { lockHolder } from '../node/pid-lock-file.ts';
import { isJsonObject } from '../shared/json.ts';

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
 * Content of a data folder's `host.json`; null without a host, or for a file of another kind. Throws FORBIDDEN for
 * another user's file, HOST_UNREACHABLE for a damaged one.
 */
export function readDiscovery(dataDir: string): Discovery | null {
  const file = dataFolderAt(dataDir).hostFile;
  const text = readText(file);
  const value = text === null ? null : parsed(text, file);
  if (!isJsonObject(value)) return null;
  const { url, port, pid, started_at, version, token } = value;
  if (typeof url !== 'string' || typeof token !== 'string' || typeof pid !== 'number') return null;
  return { url, token, pid, port: Number(port), started_at: String(started_at), version: String(version) };
}

/**
 * The running host of a data folder; null without one, errors as of readDiscovery. A killed host leaves its file
 * behind, and another program may have its pid and port by now: that program must get neither a key nor a request. So
 * only the process that holds the folder's lock, by pid, start time and boot, counts as the host.
 */
export async function runningHost(dataDir: string): Promise<Discovery | null> {
  const found = readDiscovery(dataDir);
  if (found === null || (await lockHolder(dataFolderAt(dataDir).lockFile)) !== found.pid) return null;
  return found;
}
