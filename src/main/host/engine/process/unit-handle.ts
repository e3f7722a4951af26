import { z } from 'zod';
import { IsolationLevel } from '../../../../contract/isolation.ts';
import { type ProcessIdentity, toIdentity } from '../../../../node/process-identity.ts';
import type { Confinement, NetworkUse, UnitHandle } from '../engine.ts';

export const ENGINE_NAME = 'process';

/** Handle by which the process engine finds a unit again: its launcher, by pid, start time and boot. */
export interface ProcessHandle extends UnitHandle, ProcessIdentity {
  readonly startedAt: number;
  readonly queryPort: number | null;
  readonly confinement: Confinement;
}

/**
 * What a program is held by of which nothing is recorded, because an earlier release started it: as little as it may be. `mark`: what
 * its environment says of the sandbox.
 */
const unrecorded = (name: string, mark: string | null): Confinement => ({
  level: name === ENGINE_NAME ? 'none' : mark === 'sandbox' ? mark : 'partial',
  network: 'machine',
  gatePort: 'unknown',
});

const Recorded = z.object({
  level: IsolationLevel,
  network: z.enum(['machine', 'own', 'gate', 'none'] satisfies readonly NetworkUse[]),
  gatePort: z.number().nullable(),
});

/**
 * Checks a stored handle. Throws when it is not one of engine `name`: then the unit must be found by that engine. `markOf` reads what
 * the environment of a process says of its sandbox.
 */
export function toProcessHandle(
  handle: UnitHandle,
  name: string,
  markOf: (pid: number) => string | null = () => null,
): ProcessHandle {
  const identity = toIdentity(handle);
  const { startedAt, queryPort } = handle;
  const port = typeof queryPort === 'number' ? queryPort : null;
  if (handle.engine !== name || identity === null || typeof startedAt !== 'number') {
    throw new Error(`not a unit of engine ${name}: ${JSON.stringify(handle)}`);
  }
  const confinement = Recorded.safeParse(handle.confinement).data ?? unrecorded(name, markOf(identity.pid));
  return { engine: name, ...identity, startedAt, queryPort: port, confinement };
}
