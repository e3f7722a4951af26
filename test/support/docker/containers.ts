import { dockerAt } from '../../../scripts/test-images.ts';
import { hostIdOf } from '../../../src/node/host-id.ts';
import { until } from '../until.ts';

/** Containers of the host of a data folder, running or not. */
export async function containersOf(address: string, dataDir: string) {
  const label = [`bot-platform.host=${hostIdOf(dataDir)}`];
  return dockerAt(address).listContainers({ all: true, filters: { label } });
}

/** Processes inside a container, by their pids on this machine; without the engine's own init. None once it has ended. */
export async function pidsInContainer(address: string, id: string): Promise<number[]> {
  const { Titles, Processes }: { Titles: string[]; Processes: string[][] | null } = await dockerAt(address)
    .getContainer(id)
    .top()
    .catch(() => ({ Titles: [], Processes: [] }));
  const [pid, command] = [Titles.indexOf('PID'), Titles.indexOf('CMD')];
  // Docker answers null for a container that ends at this moment.
  return (Processes ?? []).filter((row) => !/docker-init|tini/.test(row[command] ?? '')).map((row) => Number(row[pid]));
}

/** Processes inside the containers of a host, by their pids on this machine. */
export async function containerPids(address: string, dataDir: string): Promise<number[]> {
  const running = (await containersOf(address, dataDir)).filter(({ State }) => State === 'running');
  return (await Promise.all(running.map(({ Id }) => pidsInContainer(address, Id)))).flat();
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
