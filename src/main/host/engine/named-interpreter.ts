import type { NamedInterpreter } from '../../../contract/custom-bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { leavesInterpreter, type RuntimeNeeds } from '../../../runtimes/descriptors.ts';

/**
 * The interpreter that a package names, for a runtime that leaves it to the package; null for any other runtime. Throws
 * INVALID_PACKAGE where none is named.
 */
export function namedIn({ descriptor }: RuntimeNeeds, command: NamedInterpreter | undefined): NamedInterpreter | null {
  if (!leavesInterpreter(descriptor)) return null;
  if (command !== undefined) return command;
  throw new PlatformError('INVALID_PACKAGE', 'This version names no interpreter', {
    hint: 'Write command.interpreter in bot-config.yaml and publish a new version.',
  });
}

/** Refuses every interpreter: what an engine does that was given no list. */
export function noneAllowed({ interpreter }: NamedInterpreter): never {
  throw new PlatformError('INTERPRETER_NOT_ALLOWED', `Nothing here lets bots run with ${interpreter}`);
}
