import type { UnitRole } from '../../src/main/host/engine/engine.ts';
import { containersOf, pidsInContainer } from './docker/containers.ts';
import { pidsUnder, procText, type TestHost } from './platform.ts';

/** Processes of one run by the role of their program, launchers included; by their pids on this machine, in order. */
export type RunPrograms = Readonly<Record<UnitRole, readonly number[]>>;

const inOrder = (pids: readonly number[]): readonly number[] => [...pids].sort((a, b) => a - b);

const parentOf = (pid: number): number => Number(/^\d+ \(.*\) \S (\d+)/s.exec(procText(pid, 'stat'))?.[1] ?? 0);

/** A launcher is told where to write how the program of its role ends. */
function isUnder(pid: number, exitFile: string): boolean {
  for (let one = pid; one > 1; one = parentOf(one)) if (procText(one, 'cmdline').includes(exitFile)) return true;
  return false;
}

async function inContainers(host: TestHost, address: string, runId: string, role: UnitRole): Promise<number[]> {
  const containers = await containersOf(address, host.dataDir);
  const meant = containers.filter(
    ({ Labels, State }) =>
      Labels['bot-platform.run'] === runId && Labels['bot-platform.role'] === role && State === 'running',
  );
  return (await Promise.all(meant.map(({ Id }) => pidsInContainer(address, Id)))).flat();
}

/** What runs of a run, whichever engine runs it: its bot, and the query program beside it. */
export async function programsOfRun(host: TestHost, runId: string): Promise<RunPrograms> {
  const ofRole = async (role: UnitRole): Promise<readonly number[]> => {
    if (host.docker !== null) return inOrder(await inContainers(host, host.docker, runId, role));
    return inOrder(pidsUnder(host.dataDir).filter((pid) => isUnder(pid, `/${runId}/${role}.exit`)));
  };
  return { bot: await ofRole('bot'), query: await ofRole('query') };
}

/** Names of a program before it becomes itself: a launcher's shell, and Docker's first processes of a container. */
const BEGINNING = /^(?:sh|runc.*|docker-init|tini)$/;

/** Whether a program itself is there, and not only what starts it. */
export function isUp(pids: readonly number[]): boolean {
  return pids.some((pid) => {
    const name = /^\d+ \((.*)\)/s.exec(procText(pid, 'stat'))?.[1];
    return name !== undefined && !BEGINNING.test(name);
  });
}
