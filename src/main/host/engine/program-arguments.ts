import type { RuntimeNeeds } from '../../../runtimes/descriptors.ts';
import type { UnitSpec } from './engine.ts';
import { entryPartsOf } from './program-entry.ts';

/** Share of the memory limit that a managed heap may take; the rest is for stacks, code and buffers. */
const HEAP_SHARE = 0.75;

/**
 * Arguments for the interpreter of a runtime; empty for a native program. No value of the config ever becomes an
 * argument, because other users can list arguments. `temporary`: the only folder for temporary files; null where the
 * usual one of the system can be used.
 */
export function interpreterArgs(
  spec: UnitSpec,
  needs: RuntimeNeeds,
  runner: (file: string) => string,
  temporary: string | null = null,
): string[] {
  const { memoryMb } = spec.limits;
  const { args, heapFlag, temporaryFlag } = needs.descriptor;
  const heap =
    memoryMb === undefined || heapFlag === undefined ? [] : [heapFlag(Math.max(16, Math.floor(memoryMb * HEAP_SHARE)))];
  const folder = temporary === null || temporaryFlag === undefined ? [] : [temporaryFlag(temporary)];
  return [...heap, ...folder, ...args(entryPartsOf(spec, needs), runner, spec.command?.arguments ?? [])];
}
