import { dockerAt } from '../../../scripts/test-images.ts';
import { hostIdOf } from '../../../src/main/base/host-id.ts';
import { until } from '../until.ts';

/** Containers of the host of a data folder, running or not. */
export async function containersOf(address: string, dataDir: string) {
  const label = [`bot-platform.host=${hostIdOf(dataDir)}`];
  return dockerAt(address).listContainers({ all: true, filters: { label } });
}

/** Processes inside the containers of a host, by their pids on this machine; without the engine's own init. */
export async function containerPids(address: string, dataDir: string): Promise<number[]> {
  const docker = dockerAt(address);
  const found: number[] = [];
  for (const { Id, State } of await containersOf(address, dataDir)) {
    if (State !== 'running') continue;
    const { Titles, Processes } = await docker
      .getContainer(Id)
      .top()
      .catch(() => ({ Titles: [], Processes: [] }));
    const pid = Titles.indexOf('PID');
    const command = Titles.indexOf('CMD');
    for (const row of Processes) if (!/docker-init|tini/.test(row[command] ?? '')) found.push(Number(row[pid]));
  }
  return found;
}

/** Removes what a killed host has left in the engine. */
export async function removeContainers(address: string, dataDir: string): Promise<void> {
  const docker = dockerAt(address);
  for (const { Id } of await containersOf(address, dataDir)) {
    await docker
      .getContainer(Id)
      .remove({ force: true, v: true })
      .catch(() => undefined);
  }
  // One may have been on its way out already.
  await until('containers of the test to go', async () => (await containersOf(address, dataDir)).length === 0);
  const label = [`bot-platform.host=${hostIdOf(dataDir)}`];
  for (const { Id } of await docker.listNetworks({ filters: { label } })) await docker.getNetwork(Id).remove();
}
