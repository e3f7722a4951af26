import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/cli/command.ts';
import { ENTRIES } from '../../../src/cli/command-registry.ts';
import { readArguments, readRequest } from '../../../src/cli/parse.ts';
import { UsageError } from '../../../src/cli/usage-error.ts';

const sample: Command = {
  positionals: ['<bot>', '[key]'],
  options: {
    limit: { type: 'string', short: 'n', value: 'N', help: 'How many' },
    yes: { type: 'boolean', short: 'y', help: 'Do not ask' },
  },
  description: 'A sample.',
  examples: [],
  run: async () => 0,
};

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'nothing was thrown';
}

const read = (...rest: string[]) => readArguments(sample, 'bot sample', rest);

describe('readRequest', () => {
  it.each([
    [['bot', 'list'], 'bot list', []],
    [['--json', 'bot', 'list'], 'bot list', ['--json']],
    [['bot', '--json', 'list', 'x'], 'bot list', ['--json', 'x']],
    [['--url', 'http://h:1', 'bot', 'list'], 'bot list', ['--url', 'http://h:1']],
    [['bot', '--url=http://h:1', 'list'], 'bot list', ['--url=http://h:1']],
    [['bot', 'ls'], 'bot list', []],
    [['login'], 'auth login', []],
    [['audit', '-n', '3'], 'audit', ['-n', '3']],
    [['init', 'my-bot', '--template', 'cpp'], 'init', ['my-bot', '--template', 'cpp']],
    [['help', 'custom-bot', 'deploy'], 'custom-bot deploy', ['deploy', '--help']],
  ])('%j is %s', (argv, words, rest) => {
    const request = readRequest(argv);
    expect(request.entry?.words).toBe(words);
    expect(request.rest).toEqual(rest);
  });

  it('shows help without a command, of a group, and the version', () => {
    expect(readRequest([])).toMatchObject({ entry: null, group: null, version: false });
    expect(readRequest(['bot', '--help'])).toMatchObject({ entry: null, group: 'bot' });
    expect(readRequest(['help', 'keys'])).toMatchObject({ entry: null, group: 'keys' });
    expect(readRequest(['--version']).version).toBe(true);
    expect(readRequest(['--json', '-V']).version).toBe(true);
    expect(readRequest(['-v']).version).toBe(true);
    expect(readRequest(['bot', 'update', 'x', '--version', '1.0.0']).version).toBe(false);
  });

  it('names the command that was meant', () => {
    expect(messageOf(() => readRequest(['bot', 'lsit']))).toBe(
      'There is no command "bot lsit". Did you mean "bot list"?',
    );
    expect(messageOf(() => readRequest(['bots', 'list']))).toBe('There is no command "bots". Did you mean "bot"?');
    expect(messageOf(() => readRequest(['xyzzyx']))).toBe('There is no command "xyzzyx".');
    expect(messageOf(() => readRequest(['constructor']))).toContain('There is no command "constructor".');
  });

  it('refuses options that nobody has, also without a command', () => {
    expect(messageOf(() => readRequest(['--foo']))).toBe('There is no option --foo.');
    expect(messageOf(() => readRequest(['bot', '--jsn']))).toBe('There is no option --jsn. Did you mean --json?');
  });
});

describe('readArguments', () => {
  it('reads positionals and options, in any order', () => {
    const args = read('-y', 'one', '--limit', '12', 'two');
    expect(args.positionals).toEqual(['one', 'two']);
    expect([args.flag('yes'), args.flag('json'), args.text('limit'), args.integer('limit')]).toEqual([
      true,
      false,
      '12',
      12,
    ]);
    expect(read('one').integer('limit')).toBeUndefined();
    expect(read('one', '--limit=-3').integer('limit')).toBe(-3);
    expect(read('--', '-odd name').positionals).toEqual(['-odd name']);
    expect(read('-').positionals).toEqual(['-']);
  });

  it.each([
    [[], 'platform bot sample needs <bot>.'],
    [['a', 'b', 'c'], 'platform bot sample takes no "c".'],
    [['a', '--limt', '3'], 'There is no option --limt. Did you mean --limit?'],
    [['a', '-x'], 'There is no option -x.'],
    [['a', '--limit'], '--limit needs a value: --limit N.'],
    [['a', '-n'], '--limit needs a value: --limit N.'],
    [['a', '-n', '-5'], '--limit needs a value: --limit N. A value that begins with a dash is written --limit=-….'],
    [['a', '--yes=no'], '--yes takes no value.'],
  ])('refuses %j', (rest, message) => {
    expect(messageOf(() => read(...rest))).toBe(message);
  });

  it('names the option and its range for a number out of it', () => {
    const limit = (value: string) => () => read('a', `--limit=${value}`).integer('limit', 1, 1000);
    expect(limit('1000')()).toBe(1000);
    expect(messageOf(limit('1001'))).toBe('--limit is 1 to 1000, not 1001.');
    expect(messageOf(limit('0'))).toBe('--limit is 1 to 1000, not 0.');
    expect(messageOf(() => read('a', '--limit=0').integer('limit', 1))).toBe('--limit is at least 1, not 0.');
  });

  it.each(['3.5', 'ten', '', '1e3', '12345678901234567890'])('takes no %j for a whole number', (value) => {
    expect(messageOf(() => read('a', `--limit=${value}`).integer('limit'))).toContain('takes a whole number');
  });

  it('needs no positionals to show help', () => {
    expect(read('--help').flag('help')).toBe(true);
  });
});

it('loads every command, and none uses a word or letter of the global options', async () => {
  const loaded = await Promise.all(ENTRIES.map(async ({ words, load }) => ({ words, ...(await load()) })));
  for (const { words, command } of loaded) {
    const names = Object.keys(command.options);
    const letters = Object.values(command.options).flatMap(({ short }) => short ?? []);
    expect([words, names.filter((name) => ['json', 'url', 'data', 'help'].includes(name))]).toEqual([words, []]);
    expect([words, new Set(letters).size, letters.includes('h')]).toEqual([words, letters.length, false]);
    expect([words, command.examples.length > 0]).toEqual([words, true]);
    for (const example of command.examples) expect(example).toContain(`platform ${words}`);
  }
});
