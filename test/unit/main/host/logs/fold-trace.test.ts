import { describe, expect, it } from 'vitest';
import { ERROR, INFO } from '../../../../../src/main/host/logs/classify-json-line.ts';
import { createBotMasker } from '../../../../../src/main/host/logs/create-bot-masker.ts';
import type { TakenLine } from '../../../../../src/main/host/logs/line-intake.ts';
import { unpackMeta } from '../../../../../src/main/host/logs/line-meta.ts';
import { PendingRows } from '../../../../../src/main/host/logs/pending-rows.ts';
import type { SpoolFile } from '../../../../../src/main/host/logs/telemetry-types.ts';
import { rowsOfLines } from '../../../../support/block-rows.ts';

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

const JVM = `Exception in thread "main" java.lang.IllegalStateException: no price for AAPL
\tat com.example.Bot.trade(Bot.java:14)
\tat com.example.Bot.main(Bot.java:5)
Caused by: java.io.IOException: connection reset
\tat com.example.Feed.read(Feed.java:31)
\t... 2 more`;

const PRINTED = `java.lang.NullPointerException
\tat com.example.Bot.trade(Bot.scala:14)
\tSuppressed: java.io.IOException: close
\t\tat com.example.Feed.close(Feed.scala:40)`;

const DOTNET = `Unhandled exception. System.InvalidOperationException: no price
 ---> System.IO.IOException: connection reset
   --- End of inner exception stack trace ---
   at Bot.Program.Trade() in /src/Program.cs:line 14`;

const GO = `panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.(*Bot).trade(0xc000012345, {0x1, 0x2})
\t/src/bot.go:14 +0x1d
main.main()
\t/src/bot.go:5 +0x2c
created by main.start in goroutine 7
\t/src/bot.go:2 +0x11
exit status 2`;

const DEADLOCK = `fatal error: all goroutines are asleep - deadlock!

goroutine 1 [chan receive]:
main.main()
\t/src/bot.go:5 +0x2c`;

const RUST = `thread 'main' panicked at src/main.rs:4:5:
assertion \`left == right\` failed
  left: 1
 right: 2
stack backtrace:
   0: rust_begin_unwind
             at /rustc/lib/std/src/panicking.rs:645:5
note: run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`;

const OLD_RUST = `thread 'feed' (4711) panicked at 'no price', src/main.rs:4:5
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`;

const CPP = `terminate called after throwing an instance of 'std::runtime_error'
  what():  no price for AAPL`;

/** The entries that these lines of one output are stored as. */
function stored(lines: string, rows = new PendingRows(), from = file('/spool/err')) {
  for (const line of lines.split('\n')) rows.add(from, text(line), false);
  return rowsOfLines(rows.logs).map(({ line, meta }) => ({ line, level: unpackMeta(meta).level }));
}

describe('a traceback', () => {
  it.each([
    ['of Python', PYTHON],
    ['of Python with what it was raised while handling', CHAIN],
    ['of Node', NODE],
    ['of the JVM with its cause', JVM],
    ['that a program of the JVM printed', PRINTED],
    ['of .NET', DOTNET],
    ['of a panic of Go', GO],
    ['of a deadlock of Go', DEADLOCK],
    ['of a panic of Rust', RUST],
    ['of a panic of an older Rust', OLD_RUST],
    ['of an exception that no C++ caught', CPP],
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

  it('of the JVM stands behind the line of the logger that wrote it, a panic does not', () => {
    const rows = new PendingRows();
    const from = file('/spool/err');
    const logged = '10:00:00.123 [main] ERROR com.example.Bot - round failed';
    rows.add(from, text(logged, ERROR), false);
    stored(PRINTED, rows, from);
    expect(rowsOfLines(rows.logs).map(({ line }) => line)).toEqual([`${logged}\n${PRINTED}`]);
    rows.add(from, text('ERROR order refused', ERROR), false);
    stored(GO, rows, from);
    expect(
      rowsOfLines(rows.logs)
        .slice(1)
        .map(({ line }) => line),
    ).toEqual(['ERROR order refused', GO]);
  });

  it('that another output interrupts loses no line', () => {
    const rows = new PendingRows();
    const [head = '', ...rest] = PYTHON.split('\n');
    stored(head, rows);
    stored('from stdout', rows, file('/spool/out', 'stdout'));
    stored(rest.join('\n'), rows);
    expect(rowsOfLines(rows.logs).map(({ line }) => line)).toEqual([head, 'from stdout', rest.join('\n')]);
    expect(rowsOfLines(rows.logs).map(({ meta }) => unpackMeta(meta).level)).toEqual([ERROR, INFO, ERROR]);
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
    'java.lang is a package',
    'prices of a.b.C: 3',
    'thread pool of 4',
    'panic selling of AAPL',
    '\tat the market',
    'Unhandled orders: 3',
    'Exception handling is on',
    'main.main()',
    'goroutine 1 [running]:',
  ];
  expect(stored(lines.join('\n'))).toEqual(lines.map((line) => ({ line, level: INFO })));
});

it('gives a masked place of any line of it to the whole entry', () => {
  const rows = new PendingRows();
  const from = file('/spool/err');
  for (const line of PYTHON.split('\n')) rows.add(from, { ...text(line), masked: 1 } as TakenLine, false);
  expect(rowsOfLines(rows.logs).map(({ meta }) => unpackMeta(meta).masked)).toEqual([6]);
  rows.takeHostLines(createBotMasker([]), 0, () => false);
});
