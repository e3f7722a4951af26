import { writeFileSync } from 'node:fs';
import type { Discovery } from '../../src/contract/host.ts';
import { dataFolderAt } from '../../src/node/data-folder.ts';
import { identify } from '../../src/node/process-identity.ts';

const self = await identify(process.pid);

/** The `host.json` of a host at this address; this process is the host. */
export function discoveryOf({ url, token = 'local_t' }: { url: string; token?: string }): Discovery {
  return { url, port: 1, pid: process.pid, started_at: '2026-01-01T00:00:00.000Z', version: '0.1.0', token };
}

/** Makes this process the host of a data folder, as far as its files say. */
export function standForHost(dataDir: string, host: { url: string; token?: string }): void {
  const { hostFile, lockFile } = dataFolderAt(dataDir);
  writeFileSync(hostFile, JSON.stringify(discoveryOf(host)), { mode: 0o600 });
  writeFileSync(lockFile, JSON.stringify(self), { mode: 0o600 });
}
