import { expect, it } from 'vitest';
import type { LedgerSum } from '../../../../../src/contract/ledger.ts';
import { accountLabel, addSums } from '../../../../../src/renderer/data/ledger/add-sums.ts';

const sum = (over: Partial<LedgerSum>): LedgerSum => ({
  ...{ day: null, symbol: null, venue: null, account: null, currency: 'USD', realised: '1.1', fees: '0.1' },
  ...{ flows: {}, net: '1' },
  ...over,
});

it('adds sums of one group up in each currency, without deposits', () => {
  const flows = { deposit: '1000', funding: '-0.25' };
  expect(
    addSums([
      ['a', sum({ flows })],
      ['b', sum({})],
      ['a', sum({ net: '0.2' })],
      ['a', sum({ currency: 'EUR' })],
    ]),
  ).toEqual([
    { group: 'a', currency: 'USD', realised: '2.2', fees: '0.2', cash: '-0.25', net: '1.2' },
    { group: 'b', currency: 'USD', realised: '1.1', fees: '0.1', cash: '0', net: '1' },
    { group: 'a', currency: 'EUR', realised: '1.1', fees: '0.1', cash: '0', net: '1' },
  ]);
});

it('keeps symbols apart whose rows name no currency', () => {
  const unnamed = (symbol: string) => sum({ currency: null, symbol, net: null });
  const rows = addSums([
    ['a', unnamed('X')],
    ['a', unnamed('Y')],
    ['a', unnamed('X')],
  ]);
  expect(rows.map(({ realised, net }) => [realised, net])).toEqual([
    ['2.2', null],
    ['1.1', null],
  ]);
});

it('names an account as people do', () => {
  expect(accountLabel({ venue: 'alpaca', account: 'main' })).toBe('alpaca · main');
  expect(accountLabel({ venue: null, account: null })).toBe('no account named');
});
