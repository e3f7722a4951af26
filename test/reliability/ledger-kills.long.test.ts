import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { Ledger } from '../../src/contract/ledger.ts';
import { ledgerFile } from '../../src/main/host/ledger/ledger-database.ts';
import { metricBlocks } from '../support/log-files.ts';
import { testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';
import { botUntil, call, deployTiny } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const ROUNDS = rounds(3, 200);

/** Buys one unit and sells it again, a thousand times a second, among other lines. Row n has the id n. */
const TRADER = {
  name: 'trader',
  version: '1.0.0',
  runtime: 'nodejs24',
  schema: { type: 'object' },
  modes: ['paper', 'live'],
  bot: `
let n = 0;
setInterval(() => {
  let text = '';
  for (let i = 0; i < 5; i++) {
    n += 1;
    const side = n % 2 === 1 ? 'BUY' : 'SELL';
    const fill = { _metric: 'fill', fill_id: String(n), symbol: 'A', side, quantity: 1, price: (n * 7919) % 1000 + 1, currency: 'USD' };
    text += JSON.stringify(fill) + '\\n' + 'looked at row ' + n + '\\n';
  }
  process.stdout.write(text);
}, 5);`,
};

const priceOf = (n: number): number => ((n * 7919) % 1000) + 1;

it('books every row once, however often the host is killed', async ({ onTestFinished }) => {
  const seed = testSeed();
  const random = new SeededRandom(seed);
  const host = await testHost(onTestFinished, undefined, null, { PLATFORM_RETENTION_MB: '100000' });
  const { bot_id: id } = await deployTiny(host, TRADER);
  for (let round = 0; round < ROUNDS; round++) {
    await wait(random.below(800));
    await host.kill();
    await host.start();
    await botUntil(host, id, 'its program', ({ status }) => status === 'running');
  }
  await call(host, 'POST', `/api/v1/bots/${id}/stop`);
  await botUntil(host, id, 'its end', ({ status }) => status === 'stopped');
  const written = [...metricBlocks(host.dataDir, id)].reduce((sum, block) => sum + block.count, 0);
  const stored = (): { key: string; mode: string }[] => {
    const db = new Database(ledgerFile(host.dataDir), { readonly: true });
    try {
      return db
        .prepare<[], { key: string; mode: string }>(
          'select key, mode from row join book on book.id = row.book order by seq',
        )
        .all();
    } finally {
      db.close();
    }
  };
  await until('the ledger to have every row', () => stored().length >= written);
  const ids = stored().map(({ key, mode }) => `${mode} ${JSON.parse(key).at(-1)}`);
  const expected = Array.from({ length: written }, (_, i) => `paper ${i + 1}`);
  const story = `seed ${seed}, ${written} rows`;
  expect(ids, story).toEqual(expected);
  const realised = expected.reduce((sum, _, i) => (i % 2 === 1 ? sum + priceOf(i + 1) - priceOf(i) : sum), 0);
  const { books } = await call<Ledger>(host, 'GET', `/api/v1/bots/${id}/ledger`);
  expect(books.map(({ mode, not_booked, conflicts }) => [mode, not_booked, conflicts])).toEqual([['paper', 0, 0]]);
  expect(books[0]?.sums.map(({ currency, realised }) => [currency, realised])).toEqual([['USD', String(realised)]]);
  expect(books[0]?.positions.map(({ quantity }) => quantity)).toEqual(written % 2 === 1 ? ['1'] : []);
  await prove('R22', 'The host is killed while a bot writes 1,000 fills a second', {
    kills: ROUNDS,
    'rows booked': written,
    lost: 0,
    doubled: 0,
  });
});
