import { describe, expect, it } from 'vitest';
import { BotConfig } from '../../../src/contract/custom-bot.ts';
import { readBotConfig } from '../../../src/packaging/bot-config.ts';
import { decodeText } from '../../../src/packaging/decode-text.ts';

const GOOD = [
  'name: sma-crossover',
  'version: "1.0.0"',
  'type: realtime',
  'runtime: python311',
  'entrypoints:',
  '  bot: main.py',
  'schema:',
  '  bot: bot-schema.json',
  '',
].join('\n');

const with_ = (from: string, to: string) => GOOD.replace(from, to);
const short = (text: string) =>
  readBotConfig(text).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

describe('a good file', () => {
  it('is read as it stands', () => {
    const { config, problems, warnings } = readBotConfig(GOOD);
    expect([problems, warnings]).toEqual([[], []]);
    expect(config).toEqual({
      name: 'sma-crossover',
      version: '1.0.0',
      type: 'realtime',
      runtime: 'python311',
      entrypoints: { bot: 'main.py' },
      schema: { bot: 'bot-schema.json' },
    });
  });

  it.each(['python3.11', 'nodejs24', 'cpp-gcc13', 'gcc13', 'rust-stable', 'ghc96', 'binary'])(
    'takes the runtime %s',
    (runtime) => {
      expect(readBotConfig(with_('python311', runtime)).problems).toEqual([]);
    },
  );

  it('takes 1.0.0 without quotes, which YAML reads as text', () => {
    expect(readBotConfig(with_('"1.0.0"', '1.0.0')).config?.version).toBe('1.0.0');
  });

  it('takes a jar with its main class', () => {
    const text = with_('python311', 'scala3').replace('main.py', 'build/app.jar:com.example.Main');
    expect(readBotConfig(text).config?.entrypoints.bot).toBe('build/app.jar:com.example.Main');
  });

  it('keeps unknown fields and warns with their place and what was meant', () => {
    const { config, warnings } = readBotConfig(`${GOOD}autor: me\nmetadata:\n  tags: [a]\n  complexty: beginner\n`);
    expect(config).toMatchObject({ autor: 'me', metadata: { complexty: 'beginner' } });
    expect(warnings).toEqual([
      {
        file: 'bot-config.yaml',
        line: 9,
        column: 1,
        message: 'autor is not a known field; it is kept',
        hint: 'Did you mean author?',
      },
      {
        file: 'bot-config.yaml',
        line: 12,
        column: 3,
        message: 'metadata.complexty is not a known field; it is kept',
        hint: 'Did you mean complexity?',
      },
    ]);
  });

  it('treats __proto__ and constructor as data', () => {
    const { config } = readBotConfig(`${GOOD}__proto__:\n  polluted: yes\nconstructor: x\n`);
    expect(config).toBeDefined();
    expect(Object.getPrototypeOf(config)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(config?.polluted).toBeUndefined();
  });
});

describe('problems with their place', () => {
  const cases: [string, string, string[]][] = [
    [
      'a number as version',
      with_('"1.0.0"', '1.10'),
      ['2:10 version must be text, but without quotes YAML reads 1.10 as the number 1.1'],
    ],
    ['a short version', with_('"1.0.0"', '"1.0"'), ['2:10 version must be three numbers joined by dots']],
    ['a v before the version', with_('"1.0.0"', 'v1.0.0'), ['2:10 version must be three numbers joined by dots']],
    [
      'a bad name',
      with_('sma-crossover', 'SMA_Crossover'),
      ['1:7 name must be 3 to 50 of a-z 0-9 and "-", and begin and end with a letter or digit'],
    ],
    [
      'a bad type',
      with_('realtime', 'real-time'),
      ['3:7 type is "real-time", but must be one of: realtime, scheduled'],
    ],
    [
      'the type event',
      with_('realtime', 'event'),
      ['3:7 type "event" does not exist here: no event would ever start the bot'],
    ],
    ['a bad runtime', with_('python311', 'pyhton311'), ['4:10 runtime "pyhton311" is not known']],
    ['a parent path', with_('main.py', '../main.py'), ['6:8 entrypoints.bot contains ".."']],
    ['an absolute path', with_('bot-schema.json', '/x.json'), ['8:8 schema.bot is an absolute path']],
    [
      'a main class for python',
      with_('main.py', 'a.jar:Main'),
      ['6:8 entrypoints.bot names a main class, which only scala3 and java21 have'],
    ],
    [
      'a word for prewarm_queries',
      with_('entrypoints:', 'prewarm_queries: always\nentrypoints:'),
      ['5:18 prewarm_queries must be true or false, but it is a string'],
    ],
    ['no jar for java', with_('python311', 'java21'), ['6:8 entrypoints.bot must be a .jar for java21']],
    [
      'a text for a group',
      with_('entrypoints:\n  bot: main.py', 'entrypoints: main.py'),
      ['5:14 entrypoints must be a group of fields, but it is a string'],
    ],
    ['a missing entry in a group', with_('  bot: main.py', '  query: q.py'), ['5:1 entrypoints.bot is missing']],
    [
      'a label that is a number',
      `${GOOD}metadata:\n  tags:\n    - a\n    - 7\n`,
      ['12:7 metadata.tags.1 must be text, but without quotes YAML reads 7 as the number 7'],
    ],
    [
      'two of everything missing',
      'name: abc\n',
      [
        '1:1 version is missing',
        '1:1 type is missing',
        '1:1 runtime is missing',
        '1:1 entrypoints is missing',
        '1:1 schema is missing',
      ],
    ],
    ['a repeated key', `${GOOD}type: scheduled\n`, ['9:1 "type" appears twice']],
    [
      'a tag',
      `${GOOD}x: !!python/object:os.system x\n`,
      ['9:4 the tag tag:yaml.org,2002:python/object:os.system is not allowed'],
    ],
    ['a tab', 'name: abc\nentrypoints:\n\tbot: x\n', ['3:1 Tabs are not allowed as indentation']],
    ['a second document', `${GOOD}---\nname: other\n`, ['9:1 a second YAML document begins here']],
    ['a merge key', `${GOOD}base: &b {a: 1}\nx:\n  <<: *b\n`, ['11:3 merge keys (<<) are not supported']],
    ['nothing', '', ['1:1 bot-config.yaml is empty']],
    ['a list', '- name: x\n', ['1:1 bot-config.yaml must be a list of "field: value" lines']],
    ['a key that is a group', `${GOOD}? {a: 1}\n: 2\n`, ['1:1 a key is not a plain word']],
  ];
  it.each(cases)('%s', (_what, text, expected) => {
    expect(short(text)).toEqual(expected);
    for (const { file, hint } of readBotConfig(text).problems) {
      expect(file).toBe('bot-config.yaml');
      expect(hint.length).toBeGreaterThan(5);
    }
    expect(readBotConfig(text).config).toBeUndefined();
  });

  it('the fix for a version that is a number is written out', () => {
    expect(readBotConfig(with_('"1.0.0"', '1.10')).problems[0]?.hint).toBe(
      'Write three numbers in quotes: version: "1.10.0"',
    );
  });

  it('the file may have another name', () => {
    expect(readBotConfig('', 'my.yaml').problems[0]?.file).toBe('my.yaml');
  });

  it('locates fields for checks made later', () => {
    const { locate } = readBotConfig(GOOD);
    expect(locate(['entrypoints', 'bot'])).toEqual({ line: 6, column: 8 });
    expect(locate(['entrypoints', 'query'])).toEqual({ line: 5, column: 1 });
    expect(locate(['readme'])).toEqual({ line: 1, column: 1 });
  });
});

describe('hostile files end quickly', () => {
  const aliases = [...'bcdefghijklmnop'].map(
    (c, i, all) => `${c}: &${c} [*${all[i - 1] ?? 'a'}, *${all[i - 1] ?? 'a'}]`,
  );
  const cases: [string, string, RegExp][] = [
    ['a bomb of aliases', `a: &a [x, x]\n${aliases.join('\n')}\n`, /more than 20 aliases/],
    ['an alias of itself', 'a: &a [*a]\n', /\*a stands inside/],
    ['deep brackets', `x: ${'['.repeat(60_000)}`, /nested deeper than 32 levels/],
    ['deep lists', `${'- '.repeat(30_000)}x`, /call stack|nested|must be a list of "field/],
    ['deep indentation', Array.from({ length: 200 }, (_, i) => `${' '.repeat(i)}k:`).join('\n'), /nested deeper/],
    ['too large', `x: "${'y'.repeat(70_000)}"`, /has 69 KiB; at most 64 KiB are read/],
    ['many keys', Array.from({ length: 9000 }, (_, i) => `k${i}:`).join('\n'), /is missing/],
    ['many broken lines', '{,'.repeat(30_000), /./],
  ];
  it.each(cases)('%s', (_what, text, message) => {
    const start = performance.now();
    const { problems, config } = readBotConfig(text);
    expect(config).toBeUndefined();
    expect(problems.map((problem) => problem.message).join('\n')).toMatch(message);
    expect(performance.now() - start).toBeLessThan(6000);
  });
});

describe('decodeText', () => {
  it('names the first line that is not UTF-8', () => {
    expect(decodeText(Buffer.from([0x61, 0x0a, 0x62, 0xff]), 'f.yaml')).toMatchObject({
      problem: { file: 'f.yaml', line: 2, column: 2 },
    });
  });
  it('drops a byte order mark', () => {
    expect(decodeText(Buffer.from('\uFEFFname: x'), 'f')).toEqual({ text: 'name: x' });
  });
});

it('the type of the contract and the schema agree on a full file', () => {
  const full: BotConfig = {
    name: 'abc',
    version: '1.2.3',
    type: 'scheduled',
    runtime: 'gcc13',
    entrypoints: { bot: 'build/bot', query: 'build/query' },
    schema: { bot: 's.json' },
    description: 'd',
    author: 'a',
    readme: 'README.md',
    metadata: { categories: ['c'], tags: ['t'], complexity: 'beginner' },
  };
  expect(BotConfig.parse(full)).toEqual(full);
});

describe('the interpreter that a package names', () => {
  const named = (command: string): string => with_('runtime: python311', `runtime: command\n${command}`);

  it('is read with its arguments and its image', () => {
    const { config, problems, warnings } = readBotConfig(
      named('command: {interpreter: awk, arguments: [-f], image: "registry.example.com:5000/a/awk:1.2"}'),
    );
    expect([problems, warnings]).toEqual([[], []]);
    expect(config?.command).toEqual({
      interpreter: 'awk',
      arguments: ['-f'],
      image: 'registry.example.com:5000/a/awk:1.2',
    });
    expect(readBotConfig(named('command: {interpreter: Rscript}')).problems).toEqual([]);
  });

  it('is demanded by the runtime command, and refused beside any other', () => {
    expect(short(with_('python311', 'command'))).toEqual([
      '1:1 command is missing, which names the interpreter of command',
    ]);
    expect(short(`${GOOD}command: {interpreter: awk}\n`)).toEqual(['9:10 command goes with the runtime command only']);
  });

  it.each([
    '/usr/bin/awk',
    './awk',
    '../awk',
    'bin/awk',
    'C:\\awk',
    '..',
    '.awk',
    '-c',
    '--help',
    '',
    ' ',
    'awk ',
    'a wk',
    '"awk\\n"',
    '"awk\\0"',
    'awk;id',
    '$(id)',
    '`id`',
    '~',
    '%PATH%',
    'äwk',
    'a'.repeat(65),
    '[awk]',
    '5',
    'null',
  ])('is a name and nothing that leads to a file: %j is refused', (interpreter) => {
    const yaml = /^["[]|^(?:5|null)$/.test(interpreter) ? interpreter : `'${interpreter}'`;
    const { config, problems } = readBotConfig(named(`command: {interpreter: ${yaml}}`));
    expect(config).toBeUndefined();
    expect(problems).toHaveLength(1);
  });

  it.each([
    'arguments: -f',
    "arguments: ['']",
    'arguments: ["a\\nb"]',
    'arguments: ["a\\0b"]',
    `arguments: [${'a, '.repeat(16)}a]`,
    `arguments: [${'a'.repeat(201)}]`,
    'image: -v',
    'image: "a b"',
    'image: A',
    'path: /bin/sh',
  ])('has nothing else beside it: %j is refused', (more) => {
    expect(readBotConfig(named(`command:\n  interpreter: awk\n  ${more}`)).problems).toHaveLength(1);
  });
});
