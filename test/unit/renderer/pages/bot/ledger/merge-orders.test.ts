import { expect, it } from 'vitest';
import type { LedgerOrder } from '../../../../../../src/contract/ledger.ts';
import { mergeOrders } from '../../../../../../src/renderer/pages/bot/ledger/merge-orders.ts';

const order = (seq: number, at: string, status: LedgerOrder['status']): LedgerOrder =>
  ({ seq, at, status }) as LedgerOrder;

it('keeps the newest status of each order, newest order first', () => {
  const merged = mergeOrders(
    [order(1, '2026-01-01', 'new'), order(2, '2026-01-02', 'new')],
    [order(2, '2026-01-02', 'filled'), order(3, '2026-01-03', 'new')],
  );
  expect(merged.map(({ seq, status }) => [seq, status])).toEqual([
    [3, 'new'],
    [2, 'filled'],
    [1, 'new'],
  ]);
});
