import type { Command, OptionSpec } from './command.ts';
import { GROUPS } from './command-registry.ts';
import { GLOBAL_OPTIONS } from './parse.ts';

const EXIT_NOTE = 'Exit codes: 0 done, 2 usage, 3 not allowed, 4 not found, 5 conflict, 6 unavailable, 7 query failed.';

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

function optionRows(options: Readonly<Record<string, OptionSpec>>): [string, string][] {
  return Object.entries(options).map(([name, { short, value, help }]) => [
    `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  ]);
}

/** Help of the whole program, or of one group such as `bot`; `program` is the command that starts it. */
export function programHelp(group: string | null, program = 'platform'): string {
  const parts = GROUPS.map(({ title, entries }) => {
    const shown = entries.filter(({ words }) => group === null || words.startsWith(`${group} `));
    const rows = shown.map(({ words, summary }): [string, string] => [words, summary]);
    return rows.length === 0 ? '' : `${title}\n${columns(rows)}`;
  }).filter((part) => part !== '');
  const head = group === null ? 'Write, deploy, run and watch your own trading bots.\n\n' : '';
  return `${head}Usage: ${program} ${group ?? '<command>'} ${group === null ? '' : '<command> '}[options]\n\n${parts.join('\n\n')}\n\nEvery command\n${columns(optionRows(GLOBAL_OPTIONS))}\n\n${EXIT_NOTE}\nMore about one: ${program} <command> --help\n`;
}

const COLUMNS = 80;

/** Text on lines of at most 80 columns. */
function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= COLUMNS) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

/** Help of one command. */
export function commandHelp(words: string, command: Command, program = 'platform'): string {
  const positionals = command.positionals.map((name) => ` ${name}`).join('');
  const own = optionRows(command.options);
  const options = own.length === 0 ? '' : `\nOptions\n${columns(own)}\n`;
  const examples =
    command.examples.length === 0
      ? ''
      : `\nExamples\n${command.examples.map((line) => `  ${line.replaceAll(/\bplatform (?=[a-z])/g, `${program} `)}`).join('\n')}\n`;
  return `${wrapped(command.description)}\n\nUsage: ${program} ${words}${positionals}${own.length === 0 ? '' : ' [options]'}\n${options}\nEvery command\n${columns(optionRows(GLOBAL_OPTIONS))}\n${examples}`;
}
