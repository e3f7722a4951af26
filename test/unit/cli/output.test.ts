import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createOutput, tableText, wantsColours } from '../../../src/cli/output.ts';
import { cut, paint, printable, width } from '../../../src/cli/terminal-text.ts';

const ID = `bot_${'0'.repeat(26)}`;

describe('tableText', () => {
  it('lines columns up and leaves no space at the end', () => {
    const text = tableText(
      ['NAME', 'ID'],
      [
        ['sma live', 'bot_1'],
        ['b', 'bot_22'],
      ],
      80,
    );
    expect(text.split('\n')).toEqual(['NAME      ID', 'sma live  bot_1', 'b         bot_22']);
  });

  it('fits the terminal: long cells are cut, ids never', () => {
    const row = ['a name that is long', '● running', `sma-crossover-with-a-long-name 1.0.0`, 'up 3 min 5 s', ID];
    const lines = tableText(['NAME', 'STATUS', 'CUSTOM BOT', 'NOW', 'ID'], [row], 80).split('\n');
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(80);
    expect(lines[1]).toContain(ID);
    expect(lines[1]).toContain('● running');
    expect(lines[1]).toContain('…');
  });

  it('cuts columns evenly: the widest first, none below its least', () => {
    const [, line = ''] = tableText(['A', 'B'], [['x'.repeat(60), 'y'.repeat(30)]], 42).split('\n');
    expect(line).toBe(`${'x'.repeat(19)}…  ${'y'.repeat(19)}…`);
    const [, least = ''] = tableText(['A', 'B'], [['x'.repeat(60), 'y'.repeat(30)]], 5).split('\n');
    expect(least).toBe(`${'x'.repeat(7)}…  ${'y'.repeat(7)}…`);
  });

  it('is not cut where nobody looks at a terminal', () => {
    expect(tableText(['A'], [['x'.repeat(500)]], Number.POSITIVE_INFINITY)).toContain('x'.repeat(500));
  });

  it('counts wide characters as two columns', () => {
    const lines = tableText(
      ['NAME', 'B'],
      [
        ['移動平均', 'x'],
        ['🚀', 'y'],
      ],
      80,
    ).split('\n');
    expect(lines).toEqual(['NAME      B', '移動平均  x', '🚀        y']);
  });

  it('shows what would move the cursor instead of sending it', () => {
    const text = tableText(['A'], [['\u001b[2Jgone\nnext']], 80);
    expect(text).toBe('A\n␛[2Jgone⏎next');
  });
});

describe('tableText with columns to spare', () => {
  const table = (room: number): string[] =>
    tableText(['NAME', 'NOW', 'BOT', 'ID'], [['a', 'next in 5 min', 'x 1.0.0', 'bot_1234567890']], room, [
      'ID',
      'BOT',
    ]).split('\n');

  it('leaves them out one by one, only where the rest does not fit', () => {
    expect(table(44)[1]).toBe('a     next in 5 min  x 1.0.0  bot_1234567890');
    expect(table(43)[1]).toBe('a     next in 5 min  x 1.0.0');
    expect(table(27)).toEqual(['NAME  NOW', 'a     next in 5 min']);
    expect(table(Number.POSITIVE_INFINITY)[0]).toContain('ID');
  });
});

describe('wantsColours', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
  ])('%j on a terminal: %s gives %s', (env, terminal, expected) => {
    expect(wantsColours(env, terminal)).toBe(expected);
  });
});

describe('text', () => {
  it('cuts within the columns given', () => {
    expect(cut('abcdef', 6)).toBe('abcdef');
    expect(cut('abcdef', 4)).toBe('abc…');
    expect(cut('移動平均', 5)).toBe('移動…');
  });

  it('makes every control character harmless', () => {
    const all = Array.from({ length: 160 }, (_, code) => String.fromCharCode(code)).join('');
    expect(printable(all).replaceAll('\t', '')).not.toMatch(/\p{Cc}/u);
  });
});

describe('what a bot said, on a terminal and elsewhere', () => {
  const NAME = 'a\u202eb\u2066c\u009b2J';

  /** What the function writes, on stdout and stderr of this kind. */
  function written(isTTY: boolean, json: boolean, write: (out: ReturnType<typeof createOutput>) => void) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()].map((stream) =>
      Object.assign(stream, { isTTY, columns: 80 }),
    ) as unknown as [NodeJS.WriteStream, NodeJS.WriteStream];
    write(createOutput({ json, env: {}, onClosed: () => undefined, streams: { stdout, stderr } as never }));
    const all = (stream: NodeJS.WriteStream): string => String(stream.read(stream.readableLength) ?? '');
    return { stdout: all(stdout), stderr: all(stderr) };
  }

  it('a terminal gets what turns text around visibly, and the colours as they are', () => {
    const { stdout, stderr } = written(true, false, (out) => {
      out.line(paint(true, 'red', NAME));
      out.table(['NAME'], [['x\u202ey']]);
      out.note(NAME);
    });
    const shown = 'a\\u202eb\\u2066c\\u009b2J';
    expect(stdout).toBe(`\u001b[31m${shown}\u001b[0m\nNAME\nx\\u202ey\n`);
    expect(stderr).toBe(`${shown}\n`);
  });

  it('JSON on a terminal is the same JSON, and raw text has no control left', () => {
    const { stdout } = written(true, true, (out) => out.data({ NAME }));
    expect(stdout).toMatch(/^[\n -~]*$/);
    expect(JSON.parse(stdout)).toEqual({ NAME });
    expect(written(true, false, (out) => out.raw('\u001b[2J\ta\u200f\n')).stdout).toBe('␛[2J\ta\\u200f\n');
  });

  it('a pipe gets it as it is', () => {
    const { stdout } = written(false, false, (out) => {
      out.line(NAME);
      out.raw('\u001b[2J\n');
    });
    expect(stdout).toBe(`${NAME}\n\u001b[2J\n`);
  });
});
