import { expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { logRows } from '../support/log-files.ts';
import { watchMemory } from '../support/memory.ts';
import { testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { botUntil, deployTiny, tell } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const MB = rounds(64, 1024);
/** The amount of garbage not yet collected differs from run to run. */
const MOST_MB = 128;

const BOT = `
import { existsSync, writeSync } from 'node:fs';
const piece = Buffer.alloc(1024 * 1024, 'x');
const timer = setInterval(() => {
  if (!existsSync(process.env.STATE_DIR + '/begin')) return;
  clearInterval(timer);
  for (let n = 0; n < ${MB}; n++) writeSync(1, piece);
  writeSync(1, '\\nthe end\\n');
  setInterval(() => {}, 1000);
}, 20);`;

it.runIf(process.platform === 'linux')(
  `a line of ${MB} MB is kept whole, in pieces, in little memory`,
  async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished, undefined, null, { PLATFORM_RETENTION_MB: '100000' });
    const { bot_id: id } = await deployTiny(host, { name: 'endless', bot: BOT });
    await botUntil(host, id, 'running', (bot) => bot.status === 'running');
    const grown = watchMemory(host.pid);
    const from = performance.now();
    tell(host, id, 'begin');
    // Not through the host: what an answer takes is not measured here.
    const newest = 'select line from (select line from log order by seq desc limit 1)';
    await until(
      'the end',
      () => [...logRows<{ line: string }>(host.dataDir, id, newest)].some(({ line }) => line === 'the end'),
      rounds(90_000, 900_000),
    );
    const seconds = (performance.now() - from) / 1000;
    const memory = grown();
    const sums =
      "select count(*) n, sum(length(line)) bytes, max(length(line)) longest, sum((meta & 16) > 0) open from log where line glob 'x*'";
    const pieces = { n: 0, bytes: 0, longest: 0, open: 0 };
    for (const part of logRows<Record<keyof typeof pieces, number | null>>(host.dataDir, id, sums)) {
      pieces.n += part.n ?? 0;
      pieces.bytes += part.bytes ?? 0;
      pieces.longest = Math.max(pieces.longest, part.longest ?? 0);
      pieces.open += part.open ?? 0;
    }
    const figures = { MB, lost: MB * 1024 * 1024 - (pieces?.bytes ?? 0), 'memory more (MB)': memory };
    expect(figures.lost).toBe(0);
    expect(pieces?.longest).toBeLessThanOrEqual(LIMITS.lineBytes);
    // Each says that it goes on, but the last.
    expect(pieces?.open).toBe((pieces?.n ?? 0) - 1);
    expect(memory).toBeLessThan(MOST_MB);
    await prove('R7', `A line of ${MB} MB without an end`, { ...figures, 'MB a second': Math.round(MB / seconds) });
  },
);
