import { type ProcessIdentity, toIdentity } from '../../../../node/process-identity.ts';
import type { UnitHandle } from '../engine.ts';

export const ENGINE_NAME = 'process';

/** Handle by which the process engine finds a unit again: its launcher, by pid, start time and boot. */
export interface ProcessHandle extends UnitHandle, ProcessIdentity {
  readonly startedAt: number;
  readonly queryPort: number | null;
}

/** Checks a stored handle. Throws when it is not one of engine `name`: then the unit must be found by that engine. */
export function toProcessHandle(handle: UnitHandle, name: string): ProcessHandle {
  const identity = toIdentity(handle);
  const { startedAt, queryPort } = handle;
  const port = typeof queryPort === 'number' ? queryPort : null;
  if (handle.engine !== name || identity === null || typeof startedAt !== 'number') {
    throw new Error(`not a unit of engine ${name}: ${JSON.stringify(handle)}`);
  }
  return { engine: name, ...identity, startedAt, queryPort: port };
}
