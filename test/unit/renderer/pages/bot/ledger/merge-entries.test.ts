import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../../../../../src/contract/ledger.ts';
import { mergeEntries } from '../../../../../../src/renderer/pages/bot/ledger/merge-entries.ts';

const entry = (seq: number, at: string, problem: string | null = null): LedgerEntry =>
  ({ seq, at, problem }) as LedgerEntry;

it('keeps the order of booking, and the newest state of each entry', () => {
  const merged = mergeEntries(
    [entry(1, '2026-01-02', 'old'), entry(2, '2026-01-01')],
    [entry(3, '2026-01-02'), entry(1, '2026-01-02')],
  );
  expect(merged.map(({ seq, problem }) => [seq, problem])).toEqual([
    [3, null],
    [1, null],
    [2, null],
  ]);
});
