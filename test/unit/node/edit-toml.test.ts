import { describe, expect, it } from 'vitest';
import { placeToml } from '../../../src/node/edit-toml.ts';
import { readToml } from '../../support/toml.ts';

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

  it.each(['notes = """\nno end\n', '# """\n[mcp_servers.mine]\nurl = "a"\n'])(
    'refuses a text whose string of several lines has no end: %j',
    (text) => {
      expect(() => place(text)).toThrow('config.toml has a string of several lines without an end');
    },
  );

  it.each(['"', "'"])('refuses a table that holds a string of several lines in %s', (quote) => {
    const notes = `notes = ${quote.repeat(3)}\n[\nurl = "kept"\n${quote.repeat(3)}\n`;
    expect(() => place(`[mcp_servers.mine]\n${notes}url = "old"\n`)).toThrow(
      'config.toml has a string of several lines in the table mcp_servers.mine',
    );
    expect(place(`[mcp_servers.other]\n${notes}`)).toContain(notes);
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
