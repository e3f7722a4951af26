import { DESCRIPTORS } from '../../../../runtimes/all.ts';
import { knownInterpreter } from '../../../../runtimes/descriptors.ts';
import type { RuntimeDescriptor } from '../../../../runtimes/runtime.ts';
import { plain, quote } from '../../../../runtimes/trace.ts';
import type { Ending } from './failure-types.ts';
import { at, PUBLISH, placeToCorrect, program, type Rule, UPDATE } from './rule.ts';

/** The rules that follow from what descriptors say of the errors of their languages. */

const isOf =
  ({ summary }: RuntimeDescriptor) =>
  ({ trace }: Ending): boolean =>
    trace?.family === summary.family;

const where = ({ trace }: Ending): string => (trace?.place == null ? '' : ` in ${trace.place}`);
const thrown = (_: unknown, ending: Ending): string => {
  const { trace } = ending;
  const text = trace === null || trace.message === '' ? '' : `: ${quote(trace.message)}`;
  return `${program(ending)} ended with ${trace?.type ?? 'an error'}${where(ending)}${text}.`;
};
const correct = (_: unknown, { trace }: Ending): string =>
  trace?.place == null
    ? 'Correct what the error names, raise the version and publish it.'
    : `Correct ${trace.place}, raise the version and publish it.`;

/** The code of a bot could not be loaded: a module is missing, or a file is no program. */
function loadRules(descriptor: RuntimeDescriptor): Rule[] {
  const { failure, summary } = descriptor;
  const { missingModule, syntaxError } = failure ?? {};
  const name = knownInterpreter(descriptor)?.name ?? summary.label;
  const rules: Rule[] = [];
  if (missingModule !== undefined) {
    const { code, match, applies, action } = missingModule;
    rules.push({
      code,
      step: 'start',
      when: (ending) =>
        isOf(descriptor)(ending) && ending.trace !== null && (applies === undefined || applies(ending.trace)),
      match,
      say: ({ groups }, ending) => `The ${name} module ${groups[0]} is not in the package${at(ending)}.`,
      action: ({ groups }) => action(groups[0] ?? ''),
      commands: PUBLISH,
    });
  }
  if (syntaxError !== undefined) {
    const { code, applies } = syntaxError;
    rules.push({
      code,
      step: 'start',
      when: (ending) => isOf(descriptor)(ending) && ending.trace !== null && applies(ending.trace, ending.run),
      say: (_, { trace }) => `${name} cannot read ${trace?.place ?? 'the code'}: ${quote(trace?.message ?? '')}.`,
      action: (_, { trace }) => `Correct ${trace?.place ?? 'the file'}, raise the version and publish it.`,
      commands: PUBLISH,
      fix: placeToCorrect,
    });
  }
  return rules;
}

/** The code of a bot asks its configuration for something that is not in it. */
function causeRules(descriptor: RuntimeDescriptor): Rule[] {
  const { missingConfigKey } = descriptor.failure ?? {};
  if (missingConfigKey === undefined) return [];
  const { applies, match } = missingConfigKey;
  return [
    {
      code: 'CONFIG_KEY_MISSING',
      step: 'run',
      when: (ending) => isOf(descriptor)(ending) && ending.trace !== null && applies(ending.trace),
      match,
      say: ({ groups }, ending) =>
        `${program(ending)} asks for the config key "${quote(groups[0] ?? '')}", which is not set${at(ending)}.`,
      action: ({ groups }) =>
        `Set "${quote(groups[0] ?? '')}" in the config, and make it required or give it a default in bot-schema.json.`,
      commands: [...UPDATE, ...PUBLISH.slice(0, 1)],
      fix: ({ groups }) => (groups[0] === undefined ? null : { kind: 'config', key: plain(groups[0]).slice(0, 200) }),
    },
  ];
}

/** An error that nothing caught. */
function programRules(descriptor: RuntimeDescriptor): Rule[] {
  const { special = [], exception } = descriptor.failure ?? {};
  const rules = special.map(
    ({ code, applies, say, action }): Rule => ({
      code,
      step: 'run',
      when: (ending) => isOf(descriptor)(ending) && ending.trace !== null && applies(ending.trace),
      say: (_, { trace }) => (trace === null ? '' : say(trace)),
      action,
      commands: PUBLISH,
      fix: placeToCorrect,
    }),
  );
  if (exception === undefined) return rules;
  return [
    ...rules,
    {
      code: exception,
      step: 'run',
      when: isOf(descriptor),
      say: thrown,
      action: correct,
      commands: PUBLISH,
      fix: placeToCorrect,
    },
  ];
}

export const RUNTIME_LOAD_RULES: readonly Rule[] = DESCRIPTORS.flatMap(loadRules);
export const RUNTIME_CAUSE_RULES: readonly Rule[] = DESCRIPTORS.flatMap(causeRules);
export const RUNTIME_PROGRAM_RULES: readonly Rule[] = DESCRIPTORS.flatMap(programRules);
