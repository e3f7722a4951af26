import { type FieldProblem, fieldProblemsOf } from '../../components/schema-form/check-config.ts';

/** Problems that the host has found in a request, field by field. */
export interface Told {
  readonly name: string | undefined;
  readonly schedule: string | undefined;
  readonly timezone: string | undefined;
  readonly config: readonly FieldProblem[];
  /** The path of each is that of the field of its option: `config.memory_mb`. */
  readonly options: readonly FieldProblem[];
  /** True if a field shows some of them. */
  readonly placed: boolean;
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details: unknown;
}

const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(`${root}.`) || path.startsWith(`${root}[`);

/** Sorts the problems of a refused request to the fields that they are about. */
export function toldBy(error: Refusal | null): Told {
  const all = error === null ? [] : fieldProblemsOf(error.details);
  const of = (field: string): string | undefined => {
    const found = all.filter((one) => one.path === field);
    return found.length === 0
      ? undefined
      : found.map((one) => [one.message, one.hint].filter(Boolean).join('. ')).join(' ');
  };
  const name = error?.code === 'NAME_TAKEN' ? error.message : of('name');
  const schedule = of('schedule');
  const timezone = of('timezone');
  const config = all.filter((one) => isBelow(one.path, 'config'));
  const options = all
    .filter((one) => isBelow(one.path, 'options'))
    .map((one) => ({ ...one, path: one.path.replace(/^options/, 'config') }));
  const placed =
    name !== undefined || schedule !== undefined || timezone !== undefined || config.length + options.length > 0;
  return { name, schedule, timezone, config, options, placed };
}
