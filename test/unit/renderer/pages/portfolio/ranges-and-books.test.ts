import { expect, it } from 'vitest';
import type { LedgerBook } from '../../../../../src/contract/ledger.ts';
import { booksOf, firstDay } from '../../../../../src/renderer/pages/portfolio/ranges-and-books.ts';

it('counts today as one of the days', () => {
  expect(firstDay('30d', '2026-03-04')).toBe('2026-02-03');
  expect(firstDay('all', '2026-03-04')).toBeNull();
});

it('takes books of one mode alone', () => {
  const book = (mode: string) => ({ mode }) as LedgerBook;
  const found = booksOf(
    [
      { bot_id: 'a', erased: null, books: [book('live'), book('paper')] },
      { bot_id: 'b', erased: null, books: [book('paper')] },
    ],
    'paper',
  );
  expect(found.map(({ botId, book: { mode } }) => [botId, mode])).toEqual([
    ['a', 'paper'],
    ['b', 'paper'],
  ]);
});
