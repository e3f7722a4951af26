import { describe, expect, it } from 'vitest';
import { createBotMasker } from '../../../../../src/main/host/logs/bot-masker.ts';
import { ERROR, INFO } from '../../../../../src/main/host/logs/classify.ts';
import type { TakenLine } from '../../../../../src/main/host/logs/line-intake.ts';
import { unpackMeta } from '../../../../../src/main/host/logs/log-database.ts';
import { PendingRows } from '../../../../../src/main/host/logs/pending-rows.ts';
import type { SpoolFile } from '../../../../../src/main/host/logs/telemetry.ts';

const file = (path: string, source: SpoolFile['source'] = 'stderr'): SpoolFile => ({
  path,
  source,
  runId: 'run_1',
  botId: 'bot_1',
});
const text = (line: string, level = INFO): TakenLine => ({
  kind: 'log',
  level,
  time: null,
  line,
  fields: null,
  masked: 0,
});

const PYTHON = `Traceback (most recent call last):
  File "/bot/main.py", line 9, in main
    trade()
  File "/bot/main.py", line 5, in trade
    raise ValueError("no price")
ValueError: no price`;

const CHAIN = `${PYTHON}

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/bot/main.py", line 12, in <module>
KeyError: 'AAPL'`;

const NODE = `TypeError: Cannot read properties of undefined (reading 'key')
    at trade (file:///bot/bot.mjs:14:9)
    at main (file:///bot/bot.mjs:20:3) {
  [cause]: Error: gone
}`;

/** The entries that these lines of one output are stored as. */
function stored(lines: string, rows = new PendingRows(), from = file('/spool/err')) {
  for (const line of lines.split('\n')) rows.add(from, text(line), false);
  return rows.logs.map(({ line, meta }) => ({ line, level: unpackMeta(meta).level }));
}

describe('a traceback', () => {
  it.each([
    ['of Python', PYTHON],
    ['of Python with what it was raised while handling', CHAIN],
    ['of Node', NODE],
  ])('%s is one entry of level error, every byte of it kept, and what follows is an entry of its own', (_, trace) => {
    expect(stored(`before\n${trace}\nafter`)).toEqual([
      { line: 'before', level: INFO },
      { line: trace, level: ERROR },
      { line: 'after', level: INFO },
    ]);
  });

  it('stands behind the line of the logger that wrote it', () => {
    const rows = new PendingRows();
    const from = file('/spool/err');
    rows.add(from, text('ERROR:root:iteration failed', ERROR), false);
    expect(stored(PYTHON, rows, from)).toEqual([{ line: `ERROR:root:iteration failed\n${PYTHON}`, level: ERROR }]);
  });

  it('that another output interrupts loses no line', () => {
    const rows = new PendingRows();
    const [head = '', ...rest] = PYTHON.split('\n');
    stored(head, rows);
    stored('from stdout', rows, file('/spool/out', 'stdout'));
    stored(rest.join('\n'), rows);
    expect(rows.logs.map(({ line }) => line)).toEqual([head, 'from stdout', rest.join('\n')]);
    expect(rows.logs.map(({ meta }) => unpackMeta(meta).level)).toEqual([ERROR, INFO, ERROR]);
  });

  it('that a commit cuts goes on as an error, and is read again as it was when a commit fails', () => {
    const rows = new PendingRows();
    const lines = PYTHON.split('\n');
    stored(lines.slice(0, 2).join('\n'), rows);
    rows.committed();
    const rest = lines.slice(2).join('\n');
    expect(stored(rest, rows)).toEqual([{ line: rest, level: ERROR }]);
    rows.discard();
    expect(stored(`${rest}\nafter`, rows)).toEqual([
      { line: rest, level: ERROR },
      { line: 'after', level: INFO },
    ]);
  });

  it('without end is cut into entries of a bounded size', () => {
    const entries = stored(`Traceback (most recent call last):\n${'  frame of a hostile bot\n'.repeat(5000)}`);
    expect(entries.length).toBeGreaterThan(2);
    expect(Math.max(...entries.map(({ line }) => line.length))).toBeLessThan(64 * 1024);
    expect(entries.map(({ line }) => line).join('\n')).toBe(
      `Traceback (most recent call last):\n${'  frame of a hostile bot\n'.repeat(5000)}`,
    );
  });
});

it('ordinary lines stay what they are: indented ones, ones that speak of a traceback, frames without an error', () => {
  const lines = [
    'Trading AAPL',
    '    at the market',
    'see Traceback (most recent call last): above',
    '',
    'Error',
    ' x',
  ];
  expect(stored(lines.join('\n'))).toEqual(lines.map((line) => ({ line, level: INFO })));
});

it('gives a masked place of any line of it to the whole entry', () => {
  const rows = new PendingRows();
  const from = file('/spool/err');
  for (const line of PYTHON.split('\n')) rows.add(from, { ...text(line), masked: 1 } as TakenLine, false);
  expect(rows.logs.map(({ meta }) => unpackMeta(meta).masked)).toEqual([6]);
  rows.takeHostLines(createBotMasker([]), 0);
});
