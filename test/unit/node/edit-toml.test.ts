import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/contract/errors.ts';
import { placeToml } from '../../../src/node/edit-toml.ts';
import { SeededRandom, testSeed } from '../../support/seeded-random.ts';
import { readToml, readTomls } from '../../support/toml.ts';

const OWN = new Set(['url', 'http_headers', 'command', 'args', 'env']);
const place = (text: string): string =>
  placeToml(text, ['mcp_servers', 'mine'], ['url = "u"', 'http_headers = { "x-api-key" = "k" }'], OWN, 'config.toml');

const ENTRY = { url: 'u', http_headers: { 'x-api-key': 'k' } };

describe('placeToml', () => {
  it('writes a whole file', () => {
    expect(place('')).toBe('[mcp_servers.mine]\nurl = "u"\nhttp_headers = { "x-api-key" = "k" }\n');
  });

  it('adds its table at the end and leaves every line before as it is', () => {
    const text =
      'model = "m" # of the user\n\n[mcp_servers.other]\ncommand = "x"\nargs = [\n  "[mcp_servers.mine]",\n]\n';
    const result = place(text);
    expect(result.startsWith(text)).toBe(true);
    expect(readToml(result)).toEqual({
      model: 'm',
      mcp_servers: { other: { command: 'x', args: ['[mcp_servers.mine]'] }, mine: ENTRY },
    });
    expect(place(result)).toBe(result);
  });

  it.each(['[mcp_servers.mine]', '[ mcp_servers . "mine" ] # mine', "['mcp_servers'.mine]"])(
    'finds its table written as %s, keeps the keys of the user, drops its own of every form',
    (header) => {
      const text = `${header}\ncommand = "old"\nargs = [\n  "mcp",\n]\n# slow\ntool_timeout_sec = 90\n\n[mcp_servers.mine.env]\nA = "1"\n\n[mcp_servers.mine.tools.x]\non = true\n\n[z]\nn = 1\n`;
      expect(readToml(place(text))).toEqual({
        mcp_servers: { mine: { ...ENTRY, tool_timeout_sec: 90, tools: { x: { on: true } } } },
        z: { n: 1 },
      });
      expect(place(text)).toContain('# slow');
    },
  );

  it('is not misled by text of several lines', () => {
    const text = 'notes = """\n[mcp_servers.mine]\nurl = "no"\n"""\n';
    expect(readToml(place(text))).toEqual({
      notes: '[mcp_servers.mine]\nurl = "no"\n',
      mcp_servers: { mine: ENTRY },
    });
  });

  it('keeps Windows line ends', () => {
    expect(place('a = 1\r\n')).toBe(
      'a = 1\r\n\r\n[mcp_servers.mine]\r\nurl = "u"\r\nhttp_headers = { "x-api-key" = "k" }\r\n',
    );
  });

  it.each(['[mcp_servers.mine]', '[mcp_servers.mine] # ours'])(
    'knows headers with a comment among Windows line ends, ours written as %s',
    (header) => {
      const text = `${header}\r\nurl="a"\r\n[mcp_servers.other] # x\r\ncommand = "keep"\r\n`;
      expect(readToml(place(text))).toEqual({ mcp_servers: { mine: ENTRY, other: { command: 'keep' } } });
      expect(place(text)).toContain('[mcp_servers.other] # x\r\ncommand = "keep"\r\n');
    },
  );

  it.each(['\n', '\r\n'])(
    'drops a whole list with blank lines and comments inside, and lines that end in %j',
    (end) => {
      const lines = [
        '[mcp_servers.mine]',
        'args = [',
        '  "a]", # ]',
        '',
        '  # url = "no"',
        "  ['b['],",
        ']',
        '# slow',
        'n = 1',
      ];
      const result = place([...lines, ''].join(end));
      expect(readToml(result)).toEqual({ mcp_servers: { mine: { ...ENTRY, n: 1 } } });
      expect(result).toContain(`# slow${end}n = 1${end}`);
    },
  );

  it('keeps what stands in a list of the user', () => {
    const text = '[mcp_servers.mine]\ntools = [\n  # all\n\n  "url = 1",\n]\nurl = "old"\n';
    expect(readToml(place(text))).toEqual({ mcp_servers: { mine: { ...ENTRY, tools: ['url = 1'] } } });
    expect(place(text)).toContain('tools = [\n  # all\n\n  "url = 1",\n]\n');
  });

  it.each(['"', "'"])('keeps a string of several lines in its table, and drops one of its own, in %s', (quote) => {
    const long = quote.repeat(3);
    const notes = `notes = ${long}\n[\nurl = "kept"\n\n${quote}${quote} ${quote}${long}\n`;
    const result = place(`[mcp_servers.mine]\n${notes}url = ${long}\nnotes = 1\n\n${long}\n[z]\nn = 1\n`);
    expect(readToml(result)).toEqual({
      mcp_servers: { mine: { ...ENTRY, notes: `[\nurl = "kept"\n\n${quote}${quote} ${quote}` } },
      z: { n: 1 },
    });
    expect(result).toContain(notes);
  });

  it.each(['"a]b"', "'a]b' . c", '"#"', '"\\"]" # ]', '"\'"', '"mcp_servers.mine"', 'mcp_servers."mine.x"', ' "a]b" '])(
    'changes nothing of the table [%s] behind its own',
    (name) => {
      const other = `[${name.replace(/ # .*/, '')}]${/ # .*/.exec(name)?.[0] ?? ''}\nurl = "keep"\nargs = [\n  ["x"],\n  ["y"]\n]\n`;
      const result = place(`[mcp_servers.mine]\nurl = "old"\nargs = [\n  ["a"],\n  ["b"]\n]\n${other}`);
      expect(result).toBe(`${place('')}${other}`);
      expect(readToml(result)).toMatchObject({ mcp_servers: { mine: ENTRY } });
    },
  );

  it.each(['mcp_servers."m\\u0069ne"', '"mcp_servers"."mine"', "mcp_servers\t.\t'mine'"])(
    'knows its table as [%s]',
    (name) => {
      const keys = `"url" = "old" # it's\n"co\\u006dmand" = "old"\nx = "'''"\n`;
      const text = `# """\n[${name}]\n${keys}[${name}.env]\nA = "b"\n[z]\n`;
      expect(readToml(place(text))).toEqual({ mcp_servers: { mine: { ...ENTRY, x: "'''" } }, z: {} });
    },
  );

  it.each([
    ['notes = """\nno end\n', 'a string of several lines has no end'],
    ['a = [\n[mcp_servers.mine]\n', 'a bracket has no end'],
    ['[a]\n["b]\nurl = "x"\n', 'line 2: the name of the table cannot be read'],
    ['[a] b\n', 'line 1: the name of the table cannot be read'],
    ['["\\q"]\n', 'line 1: \\q in a name means nothing'],
    ['["\\UFFFFFFFF"]\n', 'line 1: \\UFFFFFFFF in a name means nothing'],
    ['x\n', 'line 1: the line is neither a table nor a key'],
    ['x = "a\n', 'line 1: a string has no end'],
    ['x = ]\n', 'line 1: a bracket closes nothing'],
  ])('refuses %j, which it cannot read for sure', (text, why) => {
    expect(() => place(text)).toThrow(`config.toml cannot be changed safely: ${why}`);
  });

  it.each(['[[mcp_servers]]\n', '[[mcp_servers.mine]]\n', '[mcp_servers.mine]\n[mcp_servers."mine"]\n'])(
    'refuses %j, in which its table is no single one',
    (text) => {
      expect(() => place(text)).toThrow('config.toml has');
    },
  );

  it('changes nothing but its own keys in any file that a reader of TOML takes', () => {
    const seed = testSeed();
    const random = new SeededRandom(seed);
    const one = (of: readonly string[]): string => of[random.below(of.length)] ?? '';
    const names = [
      'a',
      '"a]b"',
      "'[x]'",
      '"# q"',
      '"m\\u0069ne"',
      'mine',
      'mcp_servers',
      '"\\"\\"\\""',
      "'\"'",
      'url',
      'env',
    ];
    const long = ['"""\n[x]\n"""', "'''\nurl = 1\n''''", '[\n  ["a"]\n]', '[ # ]\n  "b", # "\n]'];
    const values = ['1', '"]"', "'['", '{ x = "}" }', ...long];
    const texts = Array.from({ length: 400 }, () =>
      Array.from({ length: 1 + random.below(6) }, () => {
        if (random.below(2) === 0) return `${one(names)} = ${one(values)}${one(['', ' # "', " # '''"])}\n`;
        const name = random.below(2) === 0 ? `mcp_servers . ${one(names)}` : one(names);
        return `[${name}${random.below(3) === 0 ? `.${one(names)}` : ''}]${one(['', ' # ]', '\t'])}\n`;
      }).join(''),
    );
    const placed = texts.map((text) => {
      try {
        return place(text);
      } catch (error) {
        if (error instanceof PlatformError) return null;
        throw error;
      }
    });
    const read = readTomls([...texts, ...placed.map((text) => text ?? '!')]);
    let taken = 0;
    for (const [at, text] of texts.entries()) {
      const [before, after] = [read[at], read[texts.length + at]];
      // A file that is broken may be refused, or stay so.
      if (before === null || placed[at] === null) continue;
      taken += 1;
      const servers = before?.mcp_servers as { readonly mine?: object } | undefined;
      const kept = Object.entries(servers?.mine ?? {}).filter(([key]) => !OWN.has(key));
      const wanted = { ...before, mcp_servers: { ...servers, mine: { ...Object.fromEntries(kept), ...ENTRY } } };
      expect(after, `seed ${seed}: ${text}`).toEqual(wanted);
    }
    expect(taken).toBeGreaterThan(100);
  });

  it.each([
    'mcp_servers = { mine = { url = "u" } }\n',
    'mcp_servers.mine.url = "u"\n',
    '[mcp_servers]\nmine = { url = "u" }\n',
    '[mcp_servers]\nmine.url = "u"\n',
  ])('refuses a table of another form: %j', (text) => {
    expect(() => place(text)).toThrow('config.toml has an entry');
  });
});
