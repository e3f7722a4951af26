import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NewLines } from '../../../../../src/main/host/logs/blocks/new-lines.ts';
import { BotIngest } from '../../../../../src/main/host/logs/bot-ingest.ts';
import { packMeta, unpackMeta } from '../../../../../src/main/host/logs/line-meta.ts';
import { ReadBuffers } from '../../../../../src/main/host/logs/spool-tail.ts';
import { ledgerParts } from '../../../../support/ledger-parts.ts';
import { logRows } from '../../../../support/log-files.ts';
import { everyVariant } from '../../../../support/proof.ts';
import { tempDir } from '../../../../support/temp.ts';

interface Row {
  readonly seq: number;
  readonly meta: number;
  readonly line: string;
  readonly time: number | null;
  readonly fields: string | null;
}

/** What is stored of a bot's whole output; `again` says of an error of a turn whether there is another one. */
function stored(output: Buffer, again: (error: unknown) => boolean = () => false): Row[] {
  const dataDir = tempDir('bot-ingest-');
  const path = join(dataDir, 'bots/bot_1/runs/run_1/bot.out');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, output);
  const ingest = new BotIngest('bot_1', {
    dataDir,
    retention: () => ({ days: 30, bytes: 1e9 }),
    shortage: () => null,
    buffers: new ReadBuffers(),
    ...ledgerParts(dataDir),
    now: () => 5000,
    emit: () => undefined,
  });
  try {
    ingest.setSecrets(['hunter2-very-secret']);
    const tail = ingest.attach({ botId: 'bot_1', runId: 'run_1', path, source: 'stdout' });
    tail.finishing = true;
    for (let turn = 'more'; turn === 'more'; ) {
      try {
        turn = ingest.turn(tail);
      } catch (error) {
        if (!again(error)) throw error;
      }
    }
    expect(ingest.commit()).toBe(true);
  } finally {
    ingest.close();
  }
  return [...logRows<Row>(dataDir, 'bot_1', 'select seq, meta, line, time, fields from log order by seq')];
}

const END = /end[x\0]$/;

/** The same rows whichever sign the last line ends with. */
function withoutEnd(rows: readonly Row[]): Row[] {
  return rows.map((row) => {
    if (!END.test(row.line)) return row;
    return { ...row, line: row.line.replace(END, 'end'), meta: packMeta({ ...unpackMeta(row.meta), nul: false }) };
  });
}

const LINES = [
  'bought 3 AAPL',
  '2026-11-24 10:00:00 WARNING [feed] slow',
  '2026-11-24 10:00:01 ERROR [feed] gone',
  'key hunter2-very-secret end',
  'password=opensesame123',
  '{"level":"error","message":"no price","symbol":"AAPL"}',
  '{"_metric":"price","symbol":"AAPL","value":1.5}',
  '  {"msg":"indented"}',
  '{"half": ',
  'Traceback (most recent call last):',
  '  File "bot.py", line 1, in <module>',
  "KeyError: 'TSLA'",
  'java.lang.IllegalStateException: no price',
  '\tat com.example.Bot.trade(Bot.java:14)',
  "thread 'main' panicked at src/main.rs:4:5:",
  '-----BEGIN RSA PRIVATE KEY-----',
  '-----END RSA PRIVATE KEY-----',
  'grün ≥ 1 € 😀',
  '\ufeffmark',
  'a\0b',
  '',
  ' ',
  'x'.repeat(70_000),
];

const SPECIAL = LINES.map((text) => Buffer.from(text));
const PLAIN = SPECIAL.filter((line) => !line.includes(0) && line.length < 1000);
const ends = fc.constantFrom('\n', '\n', '\n', '\r\n');

/** Output of such lines, many at a time. */
function outputOf(line: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc
    .array(fc.tuple(line, ends), { minLength: 5, maxLength: 60, size: 'max' })
    .map((lines) => Buffer.concat(lines.flatMap(([text, end]) => [text, Buffer.from(end)])));
}

/** That output is stored alike whether it is copied, or read line by line, which a NUL anywhere near makes it. */
function judge(bytes: Buffer): void {
  const copied = stored(Buffer.concat([bytes, Buffer.from('endx\n')]));
  const read = stored(Buffer.concat([bytes, Buffer.from('end\0\n')]));
  expect(withoutEnd(copied)).toEqual(withoutEnd(read));
}

describe('lines that are copied as they stand in the file', () => {
  it('are stored as those that are read one by one', () => {
    const addPlain = vi.spyOn(NewLines.prototype, 'addPlain');
    onTestFinished(() => addPlain.mockRestore());
    fc.assert(fc.property(outputOf(fc.constantFrom(...PLAIN)), judge), { numRuns: everyVariant ? 60 : 20 });
    expect(addPlain.mock.calls.length).toBeGreaterThan(100);
  });

  it('are not copied where bytes are no text', () => {
    const bytes = [...SPECIAL, Buffer.from([0xff, 0xc3, 0x28])];
    fc.assert(fc.property(outputOf(fc.constantFrom(...bytes)), judge), { numRuns: everyVariant ? 20 : 8 });
    for (const rest of [Buffer.from('abc\0d'), Buffer.from([0x61, 0xe2, 0x82])]) {
      const rows = stored(Buffer.concat([Buffer.from('begun\n'), rest]));
      expect(rows.map(({ line }) => line)).toEqual(['begun', rest.toString('utf8')]);
      expect(rows.map(({ meta }) => unpackMeta(meta).nul)).toEqual([false, rest.includes(0)]);
    }
  });

  it('are read again, each once, when there was no memory for one of them', () => {
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
    const { addPlain } = NewLines.prototype;
    let calls = 0;
    const failing = vi.spyOn(NewLines.prototype, 'addPlain').mockImplementation(function (this: NewLines, ...given) {
      addPlain.apply(this, given);
      calls += 1;
      if (calls === 50) throw new RangeError('Array buffer allocation failed');
    });
    onTestFinished(() => failing.mockRestore());
    const rows = stored(Buffer.from(`${lines.join('\n')}\n`), (error) => error instanceof RangeError);
    expect(rows.map(({ seq, line }) => [seq, line])).toEqual(lines.map((line, at) => [at + 1, line]));
    expect(calls).toBe(150);
  });

  it('are whole where one is longer than what is read at once, and the last one has no end', () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at} ${'é'.repeat(at % 40)}`);
    expect(stored(Buffer.from(lines.join('\n'))).map((row) => row.line)).toEqual(lines);
  });
});
