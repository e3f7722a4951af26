import { join } from 'node:path';
import type { UnitSpec } from '../engine.ts';
import { interpreterArgs } from '../program-arguments.ts';
import { checkEntry } from '../program-entry.ts';
import { needsOf } from '../runtime-needs.ts';
import { folderOf, type Interpreters } from './interpreters.ts';

/** A program with its arguments, ready to be started in the code folder. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Memory that the program reserves without using it, in MB; null: unknown. */
  readonly reservedMb: number | null;
  /** Folders to put in front of PATH. */
  readonly pathDirs: readonly string[];
}

/**
 * Turns a spec into a command line of this machine. Throws INVALID_PACKAGE when the entry cannot be started and
 * ENGINE_UNAVAILABLE when the interpreter is missing. `temporary`: the only folder for temporary files that the program can
 * use; null for a program that can use that of the system.
 */
export async function commandOf(
  spec: UnitSpec,
  runnersDir: string,
  interpreters: Interpreters,
  temporary: string | null = null,
): Promise<Command> {
  const needs = needsOf(spec.runtime);
  await checkEntry(spec, needs);
  const interpreter = await interpreters.find(needs);
  return {
    reservedMb: needs.descriptor.reservedMb,
    pathDirs: folderOf(interpreter),
    program: interpreter === null ? join(spec.code.dir, spec.entry) : interpreter.program,
    args: interpreterArgs(spec, needs, (file) => join(runnersDir, file), temporary),
  };
}
