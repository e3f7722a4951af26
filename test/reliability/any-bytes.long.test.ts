import { createCipheriv } from 'node:crypto';
import { expect, it } from 'vitest';
import type { LogEntry } from '../../src/contract/telemetry.ts';
import { follow } from '../support/follow.ts';
import { logRows } from '../support/log-files.ts';
import { testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { testSeed } from '../support/seeded-random.ts';
import { botUntil, call, deployTiny, lineUntil } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const MB = rounds(1, 200);
/** Lines that are also read through the API and the live stream; all of them where there are few. */
const READ = 40_000;

/** Inputs that have broken other programs, each as a line. */
const NASTY = [
  'nul \0 inside',
  'line separators \u2028 and \u2029',
  '\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J',
  '</script><script>alert(1)</script><!--',
  '{"_metric": "broken", ',
  '{"__proto__": {"level": "error"}}',
  'data: {"logs":[]}\r id: 7',
  '\ufeffbyte order mark',
  '\u202eright to left',
];
const HALVES = [[0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf8, 0x88, 0x80, 0x80, 0x80], [0x80], [0xff, 0xfe]];

/** Random bytes that bot and test make from the same seed. */
const stream = (seed: number) => createCipheriv('aes-128-ctr', Buffer.alloc(16, String(seed)), Buffer.alloc(16));

function bot(seed: number): string {
  return `
import { createCipheriv } from 'node:crypto';
import { writeSync } from 'node:fs';
const random = createCipheriv('aes-128-ctr', Buffer.alloc(16, '${seed}'), Buffer.alloc(16));
for (const line of ${JSON.stringify(NASTY)}) writeSync(1, line + '\\n');
for (const half of ${JSON.stringify(HALVES)}) writeSync(1, Buffer.from([...half, 10]));
const zeros = Buffer.alloc(1024 * 1024);
for (let n = 0; n < ${MB}; n++) writeSync(1, random.update(zeros));
writeSync(1, '\\nthe end\\n');
setInterval(() => {}, 1000);`;
}

/** The expected lines: U+FFFD for invalid bytes, everything else unchanged. */
function* expected(seed: number): Generator<string> {
  yield* NASTY;
  for (const half of HALVES) yield Buffer.from(half).toString('utf8');
  const random = stream(seed);
  const zeros = Buffer.alloc(1024 * 1024);
  let rest = Buffer.alloc(0);
  for (let n = 0; n < MB; n++) {
    rest = Buffer.concat([rest, random.update(zeros)]);
    let from = 0;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10, from)) {
      yield rest.toString('utf8', from, rest[at - 1] === 13 && at > from ? at - 1 : at);
      from = at + 1;
    }
    rest = rest.subarray(from);
  }
  yield rest.at(-1) === 13 ? rest.toString('utf8', 0, rest.length - 1) : rest.toString('utf8');
  yield 'the end';
}

it(`${MB} MB of any bytes are stored, answered and streamed as they are`, async ({ onTestFinished }) => {
  const seed = testSeed();
  const host = await testHost(onTestFinished, undefined, null, { PLATFORM_RETENTION_MB: '100000' });
  const { bot_id: id } = await deployTiny(host, { name: 'bytes', bot: bot(seed) });
  const { seq: last } = await lineUntil(host, id, 'the end');

  const sql = 'select seq, line from log where meta & 12 = 0 and seq <= ? order by seq';
  const rows = logRows<{ seq: number; line: string }>(host.dataDir, id, sql, last);
  let lines = 0;
  let wrong = 0;
  let masked = 0;
  const stored = new Map<number, string>();
  const want = expected(seed);
  for (const { seq, line } of rows) {
    const text = want.next().value;
    lines += 1;
    if (lines <= READ) stored.set(seq, line);
    if (line === text) continue;
    // Random bytes may look like a secret.
    if (line.includes('***')) masked += 1;
    else wrong += 1;
  }
  const missing = [...want].length;

  const same = (entries: readonly LogEntry[]): number => {
    for (const { seq, message } of entries) {
      if (!message.isWellFormed()) throw new Error(`seed ${seed}: line ${seq} is no text`);
      if (stored.has(seq) && stored.get(seq) !== message) throw new Error(`seed ${seed}: line ${seq} reads otherwise`);
    }
    return entries.length;
  };
  let answered = 0;
  for (let before = Math.min(last, READ); before > 1; ) {
    const path = `/api/v1/bots/${id}/logs?limit=1000&before=${before}`;
    const { entries } = await call<{ entries: LogEntry[] }>(host, 'GET', path);
    answered += same(entries);
    if (entries.length === 0) break;
    before = entries[0]?.seq ?? 0;
  }
  let streamed = 0;
  const reader = await follow(host, id, 0, (entries) => {
    streamed += same(entries);
  });
  await until('the stream', () => streamed >= Math.min(last - 2, READ));
  reader.stop();
  await reader.ended;
  await botUntil(host, id, 'running', (one) => one.status === 'running');
  const what = `${MB} MB of random bytes, and lines that break parsers`;
  expect({ seed, wrong, missing }).toEqual({ seed, wrong: 0, missing: 0 });
  expect(lines).toBeGreaterThan(MB * 3000);
  expect(answered).toBeGreaterThan(Math.min(last, READ) - 10);
  expect(masked).toBeLessThan(lines / 1000);
  await prove('R8', what, {
    MB,
    lines,
    'read wrong': wrong,
    missing,
    'masked as a secret': masked,
    answered,
    streamed,
  });
});
