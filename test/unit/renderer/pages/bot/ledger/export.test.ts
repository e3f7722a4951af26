import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../../../../../src/contract/ledger.ts';
import { entriesCsv, sumsCsv } from '../../../../../../src/renderer/pages/bot/ledger/export.ts';

it('writes every digit, and no text that a spreadsheet would run', () => {
  const text = sumsCsv('symbol', [
    { group: '=1+1', currency: 'USD', realised: '-0.123456789012345678', fees: '0', cash: '0', net: null },
  ]);
  expect(text).toBe("symbol,currency,realised,fees,cash,net\r\n'=1+1,USD,-0.123456789012345678,0,0,\r\n");
});

it('writes an entry with the fields that it has', () => {
  const entry = {
    at: '2026-01-01T00:00:00.000Z',
    mode: 'live',
    type: 'fill',
    id: '@x,1',
    quantity: '-2',
  } as LedgerEntry;
  expect(entriesCsv([{ ...entry }]).split('\r\n')[1]).toMatch(/^2026-01-01T00:00:00.000Z,live,fill,"'@x,1",.*,-2,/);
});
