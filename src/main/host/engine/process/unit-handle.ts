import { type ProcessIdentity, toIdentity } from '../../../../node/process-identity.ts';
import type { UnitHandle } from '../engine.ts';

export const ENGINE_NAME = 'process';

/** Handle by which the process engine finds a unit again: its launcher, by pid, start time and boot. */
export interface ProcessHandle extends UnitHandle, ProcessIdentity {
  readonly engine: typeof ENGINE_NAME;
  readonly startedAt: number;
  readonly queryPort: number | null;
}

/** Checks a stored handle. Throws when it is not one of this engine: then the unit must be found by that engine. */
export function toProcessHandle(handle: UnitHandle): ProcessHandle {
  const identity = toIdentity(handle);
  const { startedAt, queryPort } = handle;
  const port = typeof queryPort === 'number' ? queryPort : null;
  if (handle.engine !== ENGINE_NAME || identity === null || typeof startedAt !== 'number') {
    throw new Error(`not a unit of the process engine: ${JSON.stringify(handle)}`);
  }
  return { engine: ENGINE_NAME, ...identity, startedAt, queryPort: port };
}
