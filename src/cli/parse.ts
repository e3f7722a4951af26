import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { didYouMean } from '../shared/did-you-mean.ts';
import type { Arguments, Command, OptionSpec } from './command.ts';
import { ENTRIES, type Entry, findEntry } from './command-registry.ts';
import { UsageError } from './usage-error.ts';

/** Options that every command takes. */
export const GLOBAL_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  json: { type: 'boolean', help: 'Answer as JSON' },
  url: { type: 'string', value: 'URL', help: 'Host to talk to (PLATFORM_URL)' },
  data: { type: 'string', value: 'DIR', help: 'Data folder of the host (PLATFORM_DATA_DIR)' },
  help: { type: 'boolean', short: 'h', help: 'Show help' },
};

/** The request before its command is loaded. */
export interface Request {
  /** null: no command, only `help` or `version`. */
  readonly entry: Entry | null;
  /** First word of a group that was typed without a command, such as `bot`. */
  readonly group: string | null;
  readonly rest: readonly string[];
  readonly version: boolean;
}

/** Words at the front with global options around them: `--json bot list` and `bot list --json` are the same. */
function splitFront(argv: readonly string[]): { readonly words: string[]; readonly rest: string[] } {
  const words: string[] = [];
  const rest: string[] = [];
  let index = 0;
  for (; index < argv.length && words.length < 2; index++) {
    const token = argv[index] ?? '';
    const [name = '', value] = token.startsWith('--') ? token.slice(2).split('=', 2) : [];
    if (Object.hasOwn(GLOBAL_OPTIONS, name) || token === '-h') {
      rest.push(token);
      const takesNext = GLOBAL_OPTIONS[name]?.type === 'string' && value === undefined;
      if (takesNext && index + 1 < argv.length) rest.push(argv[++index] ?? '');
    } else if (token.startsWith('-')) break;
    else words.push(token);
  }
  return { words, rest: [...rest, ...argv.slice(index)] };
}

/** Help of the program or of a group; whatever else was asked for is refused. */
function helpRequest(group: string | null, rest: readonly string[]): Request {
  const options = toParseArgs(GLOBAL_OPTIONS);
  try {
    parseArgs({ args: [...rest], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new UsageError(explain(error, GLOBAL_OPTIONS), group ?? '');
  }
  return { entry: null, group, rest, version: false };
}

/** Finds the command that is meant. Throws UsageError for an unknown one. */
export function readRequest(argv: readonly string[]): Request {
  const front = splitFront(argv);
  if (front.words.length === 0 && front.rest.some((token) => ['--version', '-V', '-v'].includes(token))) {
    return { entry: null, group: null, rest: [], version: true };
  }
  const [first = '', second] = front.words[0] === 'help' ? [...front.words.slice(1), ...front.rest] : front.words;
  if (first === '' || first.startsWith('-')) return helpRequest(null, front.rest);
  const asked = front.words[0] === 'help' ? ['--help'] : [];
  const both = second === undefined ? undefined : findEntry(`${first} ${second}`);
  if (both !== undefined) return { entry: both, group: null, rest: [...front.rest, ...asked], version: false };
  const one = findEntry(first);
  if (one !== undefined) {
    const after = second === undefined || asked.length > 0 ? [] : [second];
    return { entry: one, group: null, rest: [...after, ...front.rest, ...asked], version: false };
  }
  const isGroup = ENTRIES.some((entry) => entry.words.startsWith(`${first} `));
  if (isGroup && second === undefined) return helpRequest(first, front.rest);
  const typed = isGroup ? `${first} ${second}` : first;
  const names = isGroup
    ? ENTRIES.map((entry) => entry.words)
    : ENTRIES.flatMap((entry) => entry.words.split(' ')[0] ?? []);
  const near = didYouMean(typed, [...new Set(names)]);
  throw new UsageError(
    `There is no command "${typed}".${near === null ? '' : ` Did you mean "${near}"?`}`,
    isGroup ? first : '',
  );
}

function toParseArgs(specs: Readonly<Record<string, OptionSpec>>): ParseArgsOptionsConfig {
  return Object.fromEntries(
    Object.entries(specs).map(([name, { type, short }]) => [name, short === undefined ? { type } : { type, short }]),
  );
}

/** Node's message in our words: its advice about "--" and "=-XYZ" does not apply here. */
function explain(error: unknown, specs: Readonly<Record<string, OptionSpec>>): string {
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const named = /'([^']+)'/.exec(text)?.[1] ?? '';
  const short = /^-(\w)/.exec(named)?.[1];
  const long =
    /--([\w-]+)/.exec(named)?.[1] ??
    Object.keys(specs).find((name) => short !== undefined && specs[name]?.short === short) ??
    '';
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const near = long === '' ? null : didYouMean(long, Object.keys(specs));
    return `There is no option ${named}.${near === null ? '' : ` Did you mean --${near}?`}`;
  }
  if (code !== 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') return text;
  const spec = specs[long];
  if (spec?.type === 'boolean') return `--${long} takes no value.`;
  const shape = spec?.value ?? 'VALUE';
  const dash = text.includes('ambiguous') ? ` A value that begins with a dash is written --${long}=-….` : '';
  return `--${long} needs a value: --${long} ${shape}.${dash}`;
}

function checkPositionals(command: Command, words: string, given: readonly string[]): void {
  const required = command.positionals.filter((name) => name.startsWith('<'));
  const open = command.positionals.some((name) => name.endsWith('...]'));
  const missing = required[given.length];
  if (missing !== undefined) throw new UsageError(`platform ${words} needs ${missing}.`, words);
  if (!open && given.length > command.positionals.length) {
    throw new UsageError(`platform ${words} takes no ${JSON.stringify(given[command.positionals.length])}.`, words);
  }
}

function parseStrictly(rest: readonly string[], specs: Readonly<Record<string, OptionSpec>>) {
  const parsed = parseArgs({
    args: [...rest],
    options: toParseArgs(specs),
    allowPositionals: true,
    strict: true,
    tokens: true,
  });
  return { ...parsed, values: parsed.values as Readonly<Record<string, unknown>> };
}

/** Reads the arguments of a command, strictly. Throws UsageError. */
export function readArguments(command: Command, words: string, rest: readonly string[]): Arguments {
  const specs = { ...command.options, ...GLOBAL_OPTIONS };
  let parsed: ReturnType<typeof parseStrictly>;
  try {
    parsed = parseStrictly(rest, specs);
  } catch (error) {
    throw new UsageError(explain(error, specs), words);
  }
  const { values, positionals, tokens } = parsed;
  if (values.help !== true) checkPositionals(command, words, positionals);
  const text = (option: string): string | undefined => {
    const value = values[option];
    return typeof value === 'string' ? value : undefined;
  };
  /** The option as the person wrote it: `-n` or `--limit`. */
  const asTyped = (option: string): string =>
    tokens.flatMap((token) => (token.kind === 'option' && token.name === option ? [token.rawName] : [])).at(-1) ??
    `--${option}`;
  return {
    positionals,
    text,
    flag: (option) => values[option] === true,
    integer(option, least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) {
      const value = text(option);
      if (value === undefined) return undefined;
      if (!/^-?\d{1,15}$/.test(value)) {
        throw new UsageError(`${asTyped(option)} takes a whole number, not "${value}".`, words);
      }
      const number = Number(value);
      if (number >= least && number <= most) return number;
      const range = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `${least} to ${most}`;
      throw new UsageError(`${asTyped(option)} is ${range}, not ${value}.`, words);
    },
  };
}
