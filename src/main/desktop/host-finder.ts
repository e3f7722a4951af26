import { PlatformError } from '../../contract/errors.ts';
import { Discovery } from '../../contract/host.ts';
import { dataFolderAt } from '../../node/data-folder.ts';
import { lockHolder } from '../../node/pid-lock-file.ts';
import { callHost } from './host-client.ts';
import type { LiveHost } from './host-supervisor.ts';
import { readAs } from './read-if-there.ts';

/** Returns the content of `host.json` in a data folder; null without one, or for one that is not complete. */
export function readDiscovery(dataDir: string): Discovery | null {
  return readAs(Discovery, dataFolderAt(dataDir).hostFile);
}

/**
 * Returns the host that runs on a data folder and answers; null without one. A crashed host leaves its file behind, and its port
 * to any other program, so this asks only a host that holds the lock of the folder.
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
