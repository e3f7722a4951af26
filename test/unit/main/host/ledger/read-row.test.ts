import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decimalText } from '../../../../../src/main/host/ledger/decimal.ts';
import { readRow } from '../../../../../src/main/host/ledger/read-row.ts';
import { isLedgerType, LEDGER_TYPES, type LedgerType } from '../../../../../src/main/host/ledger/vocabulary.ts';
import { ROOT } from '../../../../support/platform.ts';

const FILL = { fill_id: 'f1', symbol: 'BTCUSDT', side: 'BUY', quantity: '0.5', price: '64000' };
const ORDER = { client_order_id: 'o1', symbol: 'BTCUSDT', side: 'SELL', quantity: 1, status: 'new' };
const FLOW = { flow_id: 'c1', amount: '-0.01', currency: 'USDT', kind: 'funding' };
const ADJUSTMENT = { adjustment_id: 'a1', symbol: 'AAPL', kind: 'transfer', quantity: 10 };

function reading(type: LedgerType, data: object | string) {
  return readRow(type, typeof data === 'string' ? data : JSON.stringify({ _metric: type, ...data }), 7);
}

/** The fields of a row, numbers as their digits. */
function read(type: LedgerType, data: object | string): Record<string, unknown> {
  const { row, problem } = reading(type, data);
  expect(problem).toBeNull();
  return Object.fromEntries(
    Object.entries(row ?? {}).map(([key, value]) => [
      key,
      typeof value === 'object' && value !== null ? decimalText(value) : value,
    ]),
  );
}

describe('a row of the vocabulary', () => {
  it('is a fill with what the bot leaves out as the contract says', () => {
    expect(read('fill', FILL)).toEqual({
      type: 'fill',
      id: 'f1',
      symbol: 'BTCUSDT',
      side: 'BUY',
      quantity: '0.5',
      price: '64000',
      clientOrderId: null,
      fee: null,
      feeCurrency: null,
      currency: null,
      base: null,
      multiplier: '1',
      contract: 'spot',
      positionSide: 'net',
      realised: null,
      revises: null,
      time: null,
      unverified: false,
      venue: '',
      account: '',
    });
  });

  it('has its numbers by their digits, whether they are numbers or text', () => {
    const text =
      '{"fill_id":12345678901234567890,"symbol":"X","side":"SELL","quantity":0.10000000000000000555,' +
      '"price":"64000.000000000000000001","fee":-1e-7,"multiplier":100}';
    expect(read('fill', text)).toMatchObject({
      id: '12345678901234567890',
      quantity: '0.10000000000000000555',
      price: '64000.000000000000000001',
      fee: '-0.0000001',
      multiplier: '100',
    });
  });

  it('has short numbers as they were written, too', () => {
    const text = '{"fill_id":42,"symbol":"X","side":"BUY","quantity":0.1,"price":0.30000000,"fee":0.000000012}';
    expect(read('fill', text)).toMatchObject({ id: '42', quantity: '0.1', price: '0.3', fee: '0.000000012' });
  });

  it('takes a fill back by its own id, by the id it revises, or by the id it names', () => {
    expect(read('fill', { ...FILL, cancelled: true })).toMatchObject({ type: 'fill_cancel', cancels: 'f1' });
    expect(read('fill', { fill_id: 'f2', symbol: 'BTCUSDT', revises: 'f1', cancelled: true })).toMatchObject({
      id: 'f2',
      cancels: 'f1',
    });
    expect(read('fill', { fill_id: 'f2', symbol: 'BTCUSDT', cancelled: 'f1' })).toMatchObject({ cancels: 'f1' });
    expect(read('fill', { ...FILL, cancelled: false })).toMatchObject({ type: 'fill' });
  });

  it('has its time in ms, as text or as a number', () => {
    const at = Date.UTC(2026, 0, 15, 9, 30);
    for (const time of ['2026-01-15T09:30:00Z', at, at / 1000]) expect(read('fill', { ...FILL, time }).time).toBe(at);
  });

  it('is an order, a flow, an adjustment, a position, equity, a rate or a price', () => {
    expect(read('order', { ...ORDER, type: 'limit', decision_id: 5 })).toMatchObject({
      orderType: 'limit',
      decisionId: '5',
    });
    expect(read('cash_flow', FLOW)).toMatchObject({ id: 'c1', amount: '-0.01', kind: 'funding' });
    expect(read('adjustment', { ...ADJUSTMENT, kind: 'split', ratio: 4 })).toMatchObject({ ratio: '4' });
    expect(read('position', { symbol: 'AAPL', quantity: -3, value: 900 })).toMatchObject({
      quantity: '-3',
      value: '900',
    });
    expect(read('equity', { value: '1000.10', currency: 'EUR' })).toMatchObject({ value: '1000.1', currency: 'EUR' });
    expect(read('rate', { base: 'EUR', quote: 'USD', value: 1.08 })).toMatchObject({ value: '1.08' });
    expect(read('price', { symbol: 'CL', value: -37.63 })).toMatchObject({ value: '-37.63' });
  });

  it('is read from what bots of other platforms write', () => {
    const trade = { symbol: 'AAPL', side: 'BUY', quantity: 3, price: 292.87, total: 878.61 };
    expect(read('trade', trade)).toMatchObject({ type: 'fill', id: '7', unverified: true, price: '292.87' });
    expect(read('portfolio_value', { value: 10, change_pct: 1 })).toMatchObject({ type: 'equity', value: '10' });
  });

  it('keeps its names as data: a field of a prototype is none', () => {
    const { problem } = reading('price', '{"__proto__":{"symbol":"X","value":1}}');
    expect(problem).toBe('`symbol` is missing');
  });

  it.each<[LedgerType, object, string]>([
    ['fill', { ...FILL, fill_id: undefined }, '`fill_id` is missing'],
    ['fill', { ...FILL, fill_id: null }, '`fill_id` is missing'],
    ['fill', { ...FILL, fill_id: '' }, '`fill_id` is missing'],
    ['fill', { ...FILL, fill_id: 1.5 }, '`fill_id` must be text or a whole number'],
    ['fill', { ...FILL, fill_id: 'f\u0000' }, '`fill_id` must not have control characters or halves of characters'],
    ['fill', { ...FILL, symbol: '\ud800' }, '`symbol` must not have control characters or halves of characters'],
    ['fill', { ...FILL, symbol: 'X'.repeat(129) }, '`symbol` must have at most 128 characters'],
    ['fill', { ...FILL, symbol: 5 }, '`symbol` must be text'],
    ['fill', { ...FILL, side: 'buy' }, '`side` must be one of BUY, SELL'],
    ['fill', { ...FILL, quantity: 0 }, '`quantity` must be greater than 0'],
    ['fill', { ...FILL, quantity: '-1' }, '`quantity` must be greater than 0'],
    [
      'fill',
      { ...FILL, price: 'NaN' },
      '`price` must be a number, or its digits as text, with at most 38 significant digits',
    ],
    [
      'fill',
      { ...FILL, price: [1] },
      '`price` must be a number, or its digits as text, with at most 38 significant digits',
    ],
    ['fill', { ...FILL, contract: 'swap' }, '`contract` must be one of spot, linear, inverse, option'],
    ['fill', { ...FILL, contract: 'inverse', price: 0 }, '`price` of an inverse contract must be greater than 0'],
    ['fill', { ...FILL, revises: 'f1' }, '`revises` names the fill itself'],
    ['fill', { ...FILL, multiplier: 0 }, '`multiplier` must be greater than 0'],
    ['fill', { ...FILL, position_side: 'both' }, '`position_side` must be one of net, long, short'],
    ['fill', { ...FILL, currency: 'US Dollar' }, '`currency` must have 1 to 32 letters, digits, or signs of . _ : -'],
    ['fill', { ...FILL, venue: 'v'.repeat(65) }, '`venue` must have at most 64 characters'],
    ...['yesterday', 20260115, 20260115093000, 0, '0001-01-01T00:00:00Z', '2026-02-30T10:00:00Z', '2026-02-30'].map(
      (time): [LedgerType, object, string] => [
        'fill',
        { ...FILL, time },
        '`time` must be ISO text, or seconds or milliseconds since 1970, of a day that exists, from 2000 to 2099',
      ],
    ),
    ['cash_flow', { ...FLOW, cancelled: true }, '`cancelled` is for rows of the type fill alone'],
    ['cash_flow', { ...FLOW, revises: 'c1' }, '`revises` is for rows of the type fill alone'],
    ['trade', { ...FILL, cancelled: true }, '`cancelled` is for rows of the type fill alone'],
    ['adjustment', { ...ADJUSTMENT, revises: 'a1' }, '`revises` is for rows of the type fill alone'],
    [
      'adjustment',
      { ...ADJUSTMENT, kind: 'opening', quantity: -10, cost: -1000 },
      '`cost` is what the units are worth, which the sign of `quantity` does not change',
    ],
    [
      'order',
      { ...ORDER, status: 'open' },
      '`status` must be one of new, accepted, partially_filled, filled, cancelled, rejected, expired',
    ],
    ['cash_flow', { ...FLOW, currency: undefined }, '`currency` is missing'],
    [
      'cash_flow',
      { ...FLOW, kind: 'gift' },
      '`kind` must be one of deposit, withdrawal, funding, interest, dividend, fee, rebate, borrow, tax, other',
    ],
    ['adjustment', { ...ADJUSTMENT, kind: 'split' }, '`ratio` is missing: the new units for an old one'],
    ['rate', { base: 'EUR', quote: 'USD', value: 0 }, '`value` must be greater than 0'],
    ['trade', { symbol: 'AAPL', side: 'BUY', quantity: 3 }, '`price` is missing'],
  ])('is not booked where the vocabulary does not know it, with the reason: %s %o', (type, data, problem) => {
    expect(reading(type, data)).toEqual({ row: null, problem });
  });
});

it.each([
  ['2026-01-15', Date.UTC(2026, 0, 15)],
  ['1672282722429', 1_672_282_722_429],
  [1_672_282_722_429, 1_672_282_722_429],
  [1_672_282_722, 1_672_282_722_000],
  ['2024-02-29T12:00:00+02:00', Date.UTC(2024, 1, 29, 10)],
])('reads the time %j', (time, expected) => {
  expect(reading('fill', { ...FILL, time }).row).toMatchObject({ time: expected });
});

it.each([0, '', 'false', 'False', false, null])(
  'takes a fill that is cancelled: %j for one that is not',
  (cancelled) => {
    expect(reading('fill', { ...FILL, cancelled }).row).toMatchObject({ type: 'fill', id: 'f1' });
  },
);

it.each([1, 'true', 'True', true])('takes a fill back that is cancelled: %j', (cancelled) => {
  expect(reading('fill', { ...FILL, cancelled }).row).toMatchObject({ type: 'fill_cancel', cancels: 'f1' });
});

it.each([
  ['12345.0', '12345'],
  ['12345.00', '12345'],
  ['-0', '0'],
  ['12345678901234567890.0', '12345678901234567890'],
])('takes the number %s for the id %s, however long its price is', (written, id) => {
  for (const price of ['1.5', '64000.123456789012']) {
    const text = `{"_metric":"fill","fill_id":${written},"symbol":"A","side":"BUY","quantity":1,"price":${price}}`;
    expect(readRow('fill', text, 1).row).toMatchObject({ id });
  }
});

describe('rows that the functions of the SDKs write', () => {
  it('are read, each type of them', () => {
    const { cases } = JSON.parse(readFileSync(`${ROOT}/resources/sdk/vectors/vectors.json`, 'utf8'));
    const written = cases
      .filter(({ steps }: { steps: { fn: string }[] }) => steps.every(({ fn }) => isLedgerType(fn) || fn === 'signal'))
      .flatMap(({ stdout }: { stdout: string[] }) => stdout)
      .map((line: string) => [JSON.parse(line)._metric, line])
      .filter(([type]: [string]) => isLedgerType(type));
    const types = new Set(written.map(([type]: [string]) => type));
    // The other two are of bots that were written without an SDK.
    expect([...types].sort()).toEqual(
      LEDGER_TYPES.filter((one) => one !== 'trade' && one !== 'portfolio_value').sort(),
    );
    for (const [type, line] of written)
      expect({ line, problem: readRow(type, line, 7).problem }).toEqual({ line, problem: null });
  });
});
