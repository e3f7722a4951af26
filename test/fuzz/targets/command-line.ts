import type { Command } from '../../../src/cli/command.ts';
import { ENTRIES } from '../../../src/cli/command-registry.ts';
import { readArguments, readRequest } from '../../../src/cli/parse.ts';
import { showError } from '../../../src/cli/show-error.ts';
import { UsageError } from '../../../src/cli/usage-error.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { mutateText } from '../mutate.ts';
import { expectThat, type FuzzTarget } from '../target.ts';

const WORDS = ENTRIES.flatMap((entry) => entry.words.split(' '));
const ARGUMENTS = [
  '--json',
  '--url',
  '--url=http://x',
  '--data',
  '--help',
  '-h',
  '-n',
  '-n5',
  '-w',
  '-wn',
  '--limit=-1',
  '--',
  '-',
  '',
  '--=',
  '--no-json',
  '---',
  '--timeout',
  '1e3',
  '--params',
  '{"a":1}',
  '-v',
  '--version',
  'help',
  '9'.repeat(40),
  '--__proto__',
  '--constructor=1',
  '\0',
  '🙂',
  '-🙂',
  'my bot',
];

/** The words of a command line: a command with arguments, or a UsageError that says what is wrong. */
export const commandLine: FuzzTarget = {
  name: 'command-line',
  limitMs: 5000,
  make(random: SeededRandom) {
    const words = random.below(6) === 0 ? [random.pick(WORDS)] : random.pick(ENTRIES).words.split(' ');
    const argv = [...words, ...Array.from({ length: random.below(6) }, () => random.pick(ARGUMENTS))];
    const at = random.below(argv.length);
    const edited = random.below(3) === 0 ? argv.with(at, mutateText(random, argv[at] ?? '', ARGUMENTS)) : argv;
    return JSON.stringify(random.below(8) === 0 ? edited.reverse() : edited);
  },
  async open() {
    const commands = new Map<string, Command>();
    for (const { words, load } of ENTRIES) commands.set(words, (await load()).command);
    return {
      run(input) {
        const argv: string[] = JSON.parse(input);
        try {
          const { entry, rest } = readRequest(argv);
          const command = entry === null ? undefined : commands.get(entry.words);
          if (entry === null || command === undefined) return;
          const args = readArguments(command, entry.words, rest);
          for (const [option, { type }] of Object.entries(command.options)) {
            if (type === 'boolean') args.flag(option);
            else args.integer(option, 0, 100);
          }
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          const told: string[] = [];
          const code = showError(error, { json: true, colours: false, note: (text) => told.push(text) });
          expectThat(code === 2 && JSON.parse(told[0] ?? '').error.message !== '', 'an error without words');
        }
      },
      close: () => Promise.resolve(),
    };
  },
};
