import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { decimalText, storedDecimal, ZERO } from '../../src/main/host/ledger/decimal.ts';
import { openLedger } from '../../src/main/host/ledger/ledger-database.ts';
import { LedgerReader } from '../../src/main/host/ledger/ledger-reader.ts';
import { LedgerWriter } from '../../src/main/host/ledger/ledger-writer.ts';
import type { LedgerType } from '../../src/main/host/ledger/vocabulary.ts';
import { tempDir } from './temp.ts';

/** A row as a bot writes it: its type and its fields. */
export type Sent = readonly [type: LedgerType, data: Readonly<Record<string, unknown>>];

/** What the books say: sums by kind and currency, what is held at which average price, and what is in no sum. */
export function booksOf(sent: readonly Sent[]) {
  const db = openLedger(join(tempDir('venue-'), 'ledger.db'));
  onTestFinished(() => {
    db.close();
  });
  const at = Date.UTC(2026, 5, 1);
  const rows = sent.map(([type, data], index) => ({
    ...{ seq: index + 1, at: at + index, type, mode: 'live' as const },
    text: JSON.stringify({ _metric: type, ...data }),
  }));
  new LedgerWriter(db, 'fifo').apply('bot_1', rows, rows.length);
  const reader = new LedgerReader(db);
  const [book] = reader.books('bot_1');
  if (book === undefined) throw new Error('there is no book');
  const sums = new Map<string, ReturnType<typeof storedDecimal>>();
  for (const { kind, currency, amount } of reader.totals(book, 'UTC', 0, 100_000)) {
    const key = `${kind} ${currency}`;
    sums.set(key, (sums.get(key) ?? ZERO).plus(storedDecimal(amount)));
  }
  const held = reader.holdings(book).holdings();
  return {
    sums: Object.fromEntries([...sums].filter(([, sum]) => !sum.eq(ZERO)).map(([key, sum]) => [key, decimalText(sum)])),
    held: [...held].flatMap(({ symbol, side, position }) => {
      if (position.terms === null) return [];
      const price = position.averagePrice();
      return [`${symbol} ${side} ${decimalText(position.quantity)} at ${price === null ? '?' : decimalText(price)}`];
    }),
    differences: reader.entries(book, null, 100).flatMap(({ seq, difference }) => (difference === null ? [] : [seq])),
    problems: reader.problems(book, 100).map(({ seq, reason, problem }) => ({ seq, reason, problem })),
  };
}

/** Books without a position, a difference or a problem. */
export const NOTHING = { held: [], differences: [], problems: [] };
