import { readFileSync } from 'node:fs';
import { PlatformError } from '../contract/errors.ts';
import type { Discovery } from '../contract/host.ts';
import { isJsonObject } from '../isomorphic/json.ts';
import { dataFolderAt } from '../main/base/data-folder.ts';
import { lockHolder } from '../main/base/lock-file.ts';

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
  const file = dataFolderAt(dataDir).hostFile;
  const text = readText(file);
  const value = text === null ? null : parsed(text, file);
  if (!isJsonObject(value)) return null;
  const { url, port, pid, started_at, version, token } = value;
  if (typeof url !== 'string' || typeof token !== 'string' || typeof pid !== 'number') return null;
  return { url, token, pid, port: Number(port), started_at: String(started_at), version: String(version) };
}

/**
 * The host of a data folder that runs; null without one, errors as of readDiscovery. A host that was killed leaves its file
 * behind, its pid and its port to any other program: that one must get neither a key nor what is sent to a host. So only who
 * holds the lock of the folder, by pid, start time and boot, is taken for it.
 */
export async function runningHost(dataDir: string): Promise<Discovery | null> {
  const found = readDiscovery(dataDir);
  if (found === null || (await lockHolder(dataFolderAt(dataDir).lockFile)) !== found.pid) return null;
  return found;
}
