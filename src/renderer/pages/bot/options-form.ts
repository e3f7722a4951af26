import type { Bot, BotOptions } from '../../../contract/bot.ts';

/** Options of a bot in a form; an empty text means the default. */
export type OptionsForm = Readonly<Record<keyof BotOptions, string>>;

interface NumberField {
  readonly name: 'cpus' | 'memory_mb' | 'max_processes' | 'max_open_files' | 'tmp_mb' | 'timeout_sec';
  readonly label: string;
  readonly unit: string;
  readonly hint: string;
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
  readonly scheduledOnly: boolean;
}

const number = (
  name: NumberField['name'],
  label: string,
  unit: string,
  [min, max]: readonly [number, number],
  hint: string,
  extra: Partial<Pick<NumberField, 'whole' | 'scheduledOnly'>> = {},
): NumberField => ({
  name,
  label,
  unit,
  min,
  max,
  hint,
  whole: true,
  scheduledOnly: false,
  ...extra,
});

/** Every numeric option, with its description. */
export const NUMBER_FIELDS: readonly NumberField[] = [
  number(
    'timeout_sec',
    'Time-out',
    'seconds',
    [1, 604_800],
    'A run that takes longer is ended. Default: 3600, one hour.',
    {
      scheduledOnly: true,
    },
  ),
  number('memory_mb', 'Memory', 'MB', [16, 1_048_576], 'A bot that takes more is ended and counts as out of memory.'),
  number('cpus', 'Processors', 'cores', [0.05, 256], '0.5 is half of one core. Held by containers only.', {
    whole: false,
  }),
  number(
    'max_processes',
    'Processes',
    'at most',
    [1, 100_000],
    'Keeps a bot that starts other programs from flooding the machine.',
  ),
  number(
    'max_open_files',
    'Open files',
    'at most',
    [16, 1_048_576],
    'Files and connections together, for each process.',
  ),
  number(
    'tmp_mb',
    'Temporary files',
    'MB',
    [1, 65_536],
    'Size of /tmp; it is empty after each start. Containers only.',
  ),
];

const NAMES: readonly (keyof BotOptions)[] = [
  'overlap',
  'catch_up',
  'timeout_sec',
  'engine',
  'cpus',
  'tmp_mb',
  'network',
  'memory_mb',
  'max_processes',
  'max_open_files',
];

/** Returns the number fields that a bot of this type has. */
export function numberFieldsOf({ type }: Pick<Bot, 'type'>): readonly NumberField[] {
  const isScheduled = type.startsWith('scheduled/');
  return NUMBER_FIELDS.filter((field) => isScheduled || !field.scheduledOnly);
}

export function toForm(options: BotOptions): OptionsForm {
  const text = (name: keyof BotOptions): string => String(options[name] ?? '');
  return {
    overlap: text('overlap'),
    catch_up: text('catch_up'),
    timeout_sec: text('timeout_sec'),
    engine: text('engine'),
    cpus: text('cpus'),
    tmp_mb: text('tmp_mb'),
    network: text('network'),
    memory_mb: text('memory_mb'),
    max_processes: text('max_processes'),
    max_open_files: text('max_open_files'),
  };
}

/** The problem of a typed number; null if it is valid. */
export function problemOf({ min, max, whole }: NumberField, text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const value = Number(trimmed);
  if (!Number.isFinite(value)) return 'Must be a number';
  if (whole && !Number.isInteger(value)) return 'Must be a whole number';
  if (value < min || value > max) return `Must be from ${min} to ${max.toLocaleString('en-US')}`;
  return null;
}

/** The options in the form, and its problems by field. Empty fields are left out. */
export function readForm(form: OptionsForm): {
  readonly options: Record<string, unknown>;
  readonly problems: ReadonlyMap<string, string>;
} {
  const problems = new Map<string, string>();
  const options: Record<string, unknown> = {};
  for (const name of NAMES) {
    const text = form[name].trim();
    if (text === '') continue;
    const field = NUMBER_FIELDS.find((one) => one.name === name);
    if (field === undefined) {
      options[name] = text;
      continue;
    }
    const problem = problemOf(field, text);
    if (problem === null) options[name] = Number(text);
    else problems.set(name, problem);
  }
  return { options, problems };
}

/** Typed values over the stored ones: untouched fields may change elsewhere meanwhile. */
export function overStored(touched: Partial<OptionsForm>, stored: BotOptions): OptionsForm {
  return { ...toForm(stored), ...touched };
}

/** The fields that were touched, as they are stored after a save. */
export function storedOf(touched: Partial<OptionsForm>, stored: BotOptions): Partial<OptionsForm> {
  const now = toForm(stored);
  return Object.fromEntries(NAMES.filter((name) => name in touched).map((name) => [name, now[name]]));
}

/** True when the form differs from the stored options. */
export function isChanged(form: OptionsForm, stored: BotOptions): boolean {
  const before = toForm(stored);
  return NAMES.some((name) => form[name].trim() !== before[name]);
}
