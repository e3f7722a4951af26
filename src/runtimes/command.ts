import { BY_PACKAGE, type RuntimeDescriptor, type RuntimeSummary } from './runtime.ts';
import { type OutputOfRun, type Trace, textOf } from './trace.ts';

const FAMILY = 'command-of-package';

export const COMMAND_SUMMARY = {
  family: FAMILY,
  label: 'Any other language, by its interpreter',
  runtimes: {
    command: { aliases: [], image: 'debian:trixie-slim' },
  },
  templates: [
    { name: 'command-bash', label: 'Bash, without an SDK', strategy: 'empty' },
    { name: 'command-awk', label: 'Awk, without an SDK (scheduled)', strategy: 'empty' },
  ],
  languages: [],
} as const satisfies RuntimeSummary;

/** What an interpreter said of a line of a script. */
interface Said {
  readonly place: string;
  readonly message: string;
}

/**
 * The ways in which interpreters name a line of a script and what is wrong there: `./bot.sh: line 3: foo: command not found`,
 * `gawk: ./bot.awk:3: fatal: …`, `./bot.rb:3:in …`, `lua: ./bot.lua:3: …`. The file stands as the host gives it, with `./`.
 */
const PLACE_FIRST = [
  /^(?:[\w.+-]{1,64}: )?\.\/([^\s:]{1,300}): line (\d{1,7}): (.{1,500})$/,
  /^(?:[\w.+-]{1,64}: )?\.\/([^\s:]{1,300}):(\d{1,7}):(?:\d{1,7}:)? ?(.{1,500})$/,
] as const;
/** Perl: `Illegal division by zero at ./bot.pl line 3.` */
const PLACE_LAST = /^(.{1,500}) at \.\/([^\s:]{1,300}) line (\d{1,7})\.?$/;

const REMARK = /^warning\b/i;
const MISSING = /^([^\s:]{1,100}): command not found$/;

function saidIn(text: string): Said | null {
  for (const pattern of PLACE_FIRST) {
    const [, file, line, message = ''] = pattern.exec(text) ?? [];
    // gawk draws a caret below the place of a syntax error.
    if (file !== undefined) return { place: `${file}:${line}`, message: message.replace(/^[\s^]+/, '') };
  }
  const [, message, file, line] = PLACE_LAST.exec(text) ?? [];
  return message === undefined ? null : { place: `${file}:${line}`, message };
}

/** Among how many last lines an error counts: after many of them a script goes on. */
const LAST_LINES = 20;

/** The last error of the output. Of several lines about one place the one that speaks of an error says most. */
function readTrace({ lines }: OutputOfRun, view: readonly number[]): Trace | null {
  const said = view.slice(-LAST_LINES).flatMap((index) => {
    const of = lines[index];
    const found = of === undefined ? null : saidIn(textOf(of));
    return found === null || REMARK.test(found.message) ? [] : [{ index, ...found }];
  });
  const place = said.at(-1)?.place;
  if (place === undefined) return null;
  const before = said.findLastIndex((one) => one.place !== place);
  const same = said.slice(before + 1);
  const told = same.find(({ message }) => /error/i.test(message)) ?? same[0];
  if (told === undefined) return null;
  const shown = same.slice(-8).map(({ index }) => index);
  const { message, index } = told;
  return { ...{ place, message, shown }, family: FAMILY, type: 'an error', code: null, source: null, heads: [index] };
}

/** Bots that an interpreter of the machine runs, which their package names. */
export const COMMAND: RuntimeDescriptor = {
  summary: COMMAND_SUMMARY,
  interpreter: BY_PACKAGE,
  // With a folder in front no interpreter looks elsewhere for the file, or takes its name for an option.
  args: ({ file }, _, given) => [...given, `./${file}`],
  // Nobody knows what an interpreter reserves.
  reservedMb: null,
  failure: {
    readTrace,
    exception: 'SCRIPT_ERROR',
    special: [
      {
        code: 'SCRIPT_ERROR',
        applies: ({ message }) => MISSING.test(message),
        say: ({ message, place }) => `${place} calls ${MISSING.exec(message)?.[1]}, which is not where the bot runs.`,
        action: 'Install that program where the bot runs, or correct its name, and start the bot again.',
      },
    ],
  },
};
