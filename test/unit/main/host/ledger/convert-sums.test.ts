import { describe, expect, it } from 'vitest';
import type { LedgerRate, LedgerSum } from '../../../../../src/contract/ledger.ts';
import { convertSums } from '../../../../../src/main/host/ledger/convert-sums.ts';

const sum = (currency: string | null, realised: string, more: Partial<LedgerSum> = {}): LedgerSum => ({
  ...{ day: null, symbol: null, venue: null, account: null, currency, realised, fees: '0', flows: {} },
  net: currency === null ? null : realised,
  ...more,
});
const rate = (base: string, quote: string, value: string, at = '2026-01-02T00:00:00.000Z'): LedgerRate => ({
  ...{ mode: 'paper', bot_id: 'fx', base, quote, value, at },
});

describe('sums in one currency', () => {
  it('are added to those that were in it, flows by their kind, and the rates are named', () => {
    const usd = sum('USD', '10', { fees: '1', flows: { dividend: '2', deposit: '100' }, net: '11' });
    const eur = sum('EUR', '1.5', { flows: { dividend: '0.5' }, net: '2' });
    const { sums, conversion } = convertSums([usd, eur], 'EUR', [rate('USD', 'EUR', '0.9')]);
    expect(sums).toEqual([sum('EUR', '10.5', { fees: '0.9', flows: { deposit: '90', dividend: '2.3' }, net: '11.9' })]);
    expect(conversion).toEqual({ currency: 'EUR', rates: [rate('USD', 'EUR', '0.9')], missing: [] });
  });

  it('turn a rate that was written the other way round, to 18 decimals, and take the newest', () => {
    const rates = [
      rate('USD', 'EUR', '5', '2026-01-01T00:00:00.000Z'),
      rate('EUR', 'USD', '3'),
      rate('USD', 'JPY', '150', '2026-01-03T00:00:00.000Z'),
    ];
    const { sums, conversion } = convertSums([sum('USD', '1')], 'EUR', rates);
    expect(sums[0]?.realised).toBe('0.333333333333333333');
    expect(conversion.rates).toEqual([rates[1]]);
  });

  it('are rounded once, half to even, also by a rate that was written the other way round', () => {
    const inEur = (usd: string, usdOfAnEur: string): string | undefined =>
      convertSums([sum('USD', usd)], 'EUR', [rate('EUR', 'USD', usdOfAnEur)]).sums[0]?.realised;
    expect(inEur('3000000', '3')).toBe('1000000');
    expect(inEur('1100000', '1.1')).toBe('1000000');
    expect(inEur('20000000', '3')).toBe('6666666.666666666666666667');
    expect(inEur('0.000000000000000005', '2')).toBe('0.000000000000000002');
    expect(inEur('0.000000000000000007', '2')).toBe('0.000000000000000004');
  });

  it('leave apart what has no rate or names no currency: never over a third currency, a price or a rate of nothing', () => {
    const rates = [rate('JPY', 'USD', '0.007'), rate('USD', 'EUR', '0.9'), rate('BTC', 'EUR', '0')];
    const own = [sum('JPY', '700'), sum(null, '3', { symbol: 'X' }), sum('BTC', '1'), sum('USDT', '4')];
    expect(convertSums(own, 'EUR', rates)).toEqual({
      sums: own,
      conversion: { currency: 'EUR', rates: [], missing: ['BTC', 'JPY', 'USDT'] },
    });
  });

  it('keep days, symbols and accounts apart', () => {
    const days = [sum('USD', '1', { day: '2026-01-01' }), sum('EUR', '1', { day: '2026-01-02' })];
    const { sums } = convertSums(days, 'EUR', [rate('USD', 'EUR', '2')]);
    expect(sums.map(({ day, realised }) => [day, realised])).toEqual([
      ['2026-01-01', '2'],
      ['2026-01-02', '1'],
    ]);
  });
});
