import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLedger } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { LedgerFeed } from '../../../../../src/main/host/logs/ledger-feed.ts';
import { tempDir } from '../../../../support/temp.ts';

const price = (seq: number, value: string) => ({
  ...{ seq, at: Date.UTC(2026, 0) + seq, type: 'price' as const, mode: 'paper' as const },
  text: JSON.stringify({ symbol: 'X', value }),
});

it('stores the waiting rows of all bots in one transaction, once the first has waited a second', () => {
  const dataDir = tempDir('waiting-');
  const feed = new LedgerFeed(dataDir, () => undefined);
  const done: string[] = [];
  const begun = performance.now();
  for (const [after, botId] of ['a', 'b'].entries()) {
    const taken = (isTaken: boolean) => done.push(`${botId} ${isTaken}`);
    feed.waiting.put({ botId, rows: [price(1, '10')], upTo: 5, since: begun + 500 * after, done: taken });
  }
  feed.tick(begun + 900);
  expect(done).toEqual([]);
  feed.tick(begun + 1100);
  expect(done).toEqual(['a true', 'b true']);
  expect(feed.writer?.cursor('b')).toBe(5);
  feed.close([]);
  const db = openLedger(join(dataDir, 'ledger.db'));
  expect(db.prepare('select b.bot, p.value from price p join book b on b.id = p.book order by 1').raw().all()).toEqual([
    ['a', '10'],
    ['b', '10'],
  ]);
  db.close();
});

it('leaves all of them to the logs if one cannot be stored, and says so', () => {
  const said: string[] = [];
  const feed = new LedgerFeed(tempDir('waiting-'), (message) => said.push(message));
  const done: boolean[] = [];
  const put = (botId: string, text: string): void =>
    feed.waiting.put({
      botId,
      rows: [{ ...price(1, '10'), text }],
      upTo: 5,
      since: 0,
      done: (isTaken) => done.push(isTaken),
    });
  put('a', price(1, '10').text);
  put('b', '{');
  feed.takeWaiting();
  expect(done).toEqual([false, false]);
  expect(feed.writer?.cursor('a')).toBe(0);
  expect(said[0]).toContain('kept in the logs');
  feed.close([]);
});
