import { PlatformError } from '../../contract/errors.ts';
import { Discovery } from '../../contract/host.ts';
import { dataFolderAt } from '../../node/data-folder.ts';
import { lockHolder } from '../../node/lock-file.ts';
import { callHost } from './host-api.ts';
import type { LiveHost } from './host-supervisor.ts';
import { readAs } from './read-if-there.ts';

/** What `host.json` of a data folder says; null without one, or for one that is not complete. */
export function readDiscovery(dataDir: string): Discovery | null {
  return readAs(Discovery, dataFolderAt(dataDir).hostFile);
}

/**
 * The host that runs on a data folder and answers; null without one. A crashed host leaves its file behind, and its port to
 * any other program: only who holds the lock of the folder is asked.
 */
export async function findHost(dataDir: string): Promise<LiveHost | null> {
  const found = readDiscovery(dataDir);
  if (found === null || (await lockHolder(dataFolderAt(dataDir).lockFile)) !== found.pid) return null;
  try {
    await callHost(found, 'auth.status', {});
    return { url: found.url, token: found.token, pid: found.pid };
  } catch (error) {
    if (error instanceof PlatformError && (error.code === 'HOST_UNREACHABLE' || error.status === 401)) return null;
    throw error;
  }
}
