import { join } from 'node:path';
import type { NamedInterpreter } from '../../../../contract/custom-bot.ts';
import type { RuntimeNeeds } from '../../../../runtimes/descriptors.ts';
import type { FoundVersion } from '../../../../runtimes/runtime.ts';
import type { UnitSpec } from '../engine.ts';
import { namedIn } from '../named-interpreter.ts';
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

/** What runs the bots of this machine. */
export interface Programs {
  readonly known: Interpreters;
  /** The file of an interpreter that a package names. Throws INTERPRETER_NOT_ALLOWED or INTERPRETER_UNUSABLE. */
  readonly named: (command: NamedInterpreter) => Promise<string>;
}

/**
 * The program that runs an entry; null for an entry that is a program itself. Throws ENGINE_UNAVAILABLE, or what `Programs.named`
 * throws.
 */
export async function interpreterOf(
  { known, named }: Programs,
  needs: RuntimeNeeds,
  command: NamedInterpreter | undefined,
): Promise<Pick<FoundVersion, 'program'> | null> {
  const byPackage = namedIn(needs, command);
  return byPackage === null ? known.find(needs) : { program: await named(byPackage) };
}

/**
 * Turns a spec into a command line of this machine. Throws INVALID_PACKAGE when the entry cannot be started, ENGINE_UNAVAILABLE when
 * the interpreter is missing, and INTERPRETER_NOT_ALLOWED or INTERPRETER_UNUSABLE for one that the package names. `temporary`: the only folder for temporary files that the program can
 * use; null for a program that can use that of the system.
 */
export async function commandOf(
  spec: UnitSpec,
  runnersDir: string,
  interpreters: Programs,
  temporary: string | null = null,
): Promise<Command> {
  const needs = needsOf(spec.runtime);
  await checkEntry(spec, needs);
  const interpreter = await interpreterOf(interpreters, needs, spec.command);
  return {
    reservedMb: needs.descriptor.reservedMb,
    pathDirs: folderOf(interpreter),
    program: interpreter === null ? join(spec.code.dir, spec.entry) : interpreter.program,
    args: interpreterArgs(spec, needs, (file) => join(runnersDir, file), temporary),
  };
}
