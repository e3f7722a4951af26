import { PlatformError } from '../../../contract/errors.ts';
import { findRuntime, type RuntimeNeeds } from '../../../runtimes/descriptors.ts';
import { RUNTIME_IDS } from '../../../runtimes/registry.ts';

/** The needs of a runtime here; throws INVALID_CONFIG for an unknown id. */
export function needsOf(runtime: string): RuntimeNeeds {
  const needs = findRuntime(runtime);
  if (needs !== null) return needs;
  throw new PlatformError('INVALID_CONFIG', `Runtime ${JSON.stringify(runtime)} cannot be run on this machine.`, {
    hint: `Use one of ${RUNTIME_IDS.join(', ')}.`,
  });
}
