import { expect, it } from 'vitest';
import { clockText, metricLine } from '../../../src/cli/show-bot-output.ts';

it('clockText leaves out the date of today alone', () => {
  const now = Date.parse('2026-02-01T00:00:00.000Z');
  expect(clockText('2026-02-01T10:14:02.123Z', now)).toBe('10:14:02');
  expect(clockText('2026-01-31T23:59:59.999Z', now)).toBe('2026-01-31 23:59:59');
});

const shown = (data: Record<string, unknown>, type = 'price'): string =>
  metricLine({ ts: '2026-02-01T10:14:02.123Z', type, data }, false);

it.each([
  [{ symbol: 'AAPL', value: 292.5 }, 'price', 'AAPL 292.50'],
  [
    { side: 'BUY', quantity: '1.5', symbol: 'AAPL', price: '9.10', currency: 'USD' },
    'fill',
    'BUY 1.5 AAPL at 9.10 USD',
  ],
  [{ side: 'BUY', quantity: '1.5', symbol: 'AAPL', status: 'new' }, 'order', 'BUY 1.5 AAPL · new'],
  [{ quantity: 0, symbol: 'AAPL', price: 9.1 }, 'position', '0 AAPL at 9.1'],
  [{ value: 10000.5, currency: 'USD' }, 'equity', '10000.5 USD'],
  [{ fill_id: 'c', cancelled: true }, 'fill', 'fill_id=c cancelled=true'],
  [{ symbol: 'EUR/USD', value: 1.08437 }, 'price', 'EUR/USD 1.08437'],
  [{ symbol: 'SHIB', value: 0.0000123456 }, 'price', 'SHIB 0.0000123456'],
  [{ type: 'SELL', symbol: 'SHIB', price: 0.0000123456 }, 'signal', 'SELL SHIB at 0.0000123456'],
  [{ type: 'BUY', symbol: 'X', price: 99.363, confidence: 2 / 3 }, 'signal', 'BUY X at 99.363 · confidence 0.666667'],
  [
    { qty: 0.00045678, fee: 1e-8, sum: 0.1 + 0.2, equity: 1_000_297.8 },
    'fill',
    'qty=0.00045678 fee=0.00000001 sum=0.3 equity=1000297.8',
  ],
  [
    { n: -0, big: 1.5e30, neg: -0.5, tiny: -1e-25, all: 1e15 },
    'fill',
    'n=0 big=1.5e+30 neg=-0.5 tiny=-1e-25 all=1000000000000000',
  ],
  [{ symbol: 'X', value: 0 }, 'price', 'X 0.00'],
])('a metric %j is shown without losing a figure', (data, type, text) => {
  expect(shown(data, type)).toContain(text);
});
