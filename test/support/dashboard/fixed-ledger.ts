import type {
  Ledger,
  LedgerBook,
  LedgerEntries,
  LedgerEntry,
  LedgerEquity,
  LedgerOrder,
  LedgerOrders,
  LedgerPosition,
  LedgerProblems,
  LedgerSum,
  LedgerSummaries,
} from '../../../src/contract/ledger.ts';
import type { LedgerList } from '../../../src/contract/ledger-list.ts';
import type { LedgerConflict, LedgerConflicts } from '../../../src/contract/ledger-upkeep.ts';
import { BROKEN, back, NOW, SCHEDULED, WELL } from './fixed-bots.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

type By = 'day' | 'symbol' | 'account' | undefined;

function sum(net: string, over: Partial<LedgerSum>): LedgerSum {
  return {
    day: null,
    symbol: null,
    venue: null,
    account: null,
    currency: 'USD',
    realised: net,
    fees: '0',
    flows: {},
    net,
    ...over,
  };
}

/** Profits of the last days, newest first; the first of them is today. */
const DAYS = [
  '128.425',
  '-41.9',
  '77.12',
  '0',
  '212.6',
  '-155.35',
  '18.04',
  '96.5',
  '-12.75',
  '140.2',
  '-88.1',
  '61',
  '35.55',
  '-7.2',
  '190.9',
  '44.4',
  '-66.66',
  '102.3',
  '12.1',
  '-30.05',
];
const dayAt = (at: number): string => new Date(NOW - at * DAY).toISOString().slice(0, 10);

function position(symbol: string, over: Partial<LedgerPosition>): LedgerPosition {
  return {
    account: 'main',
    symbol,
    side: 'net',
    contract: 'spot',
    quantity: '10',
    multiplier: '1',
    currency: 'USD',
    average_price: '182.4',
    cost: '1824',
    since: back(26 * 60 * MINUTE),
    price: '185.21',
    price_at: back(40_000),
    unrealised: '28.1',
    difference: null,
    ...over,
  };
}

function book(over: Partial<LedgerBook>): LedgerBook {
  return {
    mode: 'live',
    method: 'fifo',
    sums: [],
    positions: [],
    equity: [],
    differences: [],
    not_booked: 0,
    conflicts: 0,
    ...over,
  };
}

function inRange(sums: readonly LedgerSum[], from?: string, to?: string): LedgerSum[] {
  return sums.filter(({ day }) => day === null || ((from ?? '') <= day && day <= (to ?? '9')));
}

function live(by: By): LedgerSum[] {
  if (by === 'day') return DAYS.map((net, at) => sum(net, { day: dayAt(at), fees: '1.2', realised: net })).reverse();
  if (by === 'symbol') return [sum('520.3', { symbol: 'AAPL' }), sum('196.815', { symbol: 'MSFT' })];
  if (by === 'account') return [sum('717.115', { venue: 'alpaca', account: 'main' })];
  return [sum('717.115', { realised: '741.115', fees: '24', flows: { dividend: '12.5' } })];
}

function crypto(by: By): LedgerSum[] {
  const usdt = { currency: 'USDT' };
  if (by === 'day')
    return DAYS.slice(0, 9)
      .map((net, at) => sum(`-${net.replace('-', '')}`, { ...usdt, day: dayAt(at) }))
      .reverse();
  return [sum('-742.685', { ...usdt, ...(by === 'symbol' ? { symbol: 'ETHUSDT' } : {}), flows: { funding: '-3.21' } })];
}

/** The books of the fixed bots: real money, a mode that the host cannot tell, and play money. */
export function ledgerOf(botId: string, by?: By, from?: string, to?: string): Ledger {
  const books: Readonly<Record<string, readonly LedgerBook[]>> = {
    [WELL]: [
      book({
        sums: inRange(live(by), from, to),
        positions: [
          position('AAPL', {}),
          position('MSFT', {
            quantity: '-4',
            average_price: '401.02',
            cost: '-1604.08',
            price: null,
            price_at: null,
            unrealised: null,
          }),
        ],
        equity: [{ venue: 'alpaca', account: 'main', currency: 'USD', value: '12480.5', at: back(MINUTE) }],
        not_booked: 1,
        conflicts: 1,
      }),
      book({ mode: 'paper', sums: inRange([sum('64.2', { day: by === 'day' ? dayAt(30) : null })], from, to) }),
    ],
    [BROKEN]: [
      book({
        mode: 'unverified',
        sums: inRange(crypto(by), from, to),
        positions: [
          position('ETHUSDT', {
            account: 'binance-main',
            contract: 'linear',
            quantity: '0.35',
            currency: 'USDT',
            average_price: '2412.337',
            cost: '844.31795',
            price: '2398.1',
            unrealised: '-4.98295',
            difference: 'The bot reports 0.3, its fills say 0.35',
          }),
        ],
      }),
    ],
    [SCHEDULED]: [
      book({
        mode: 'paper',
        sums: inRange([sum('0.00001234', { day: by === 'day' ? dayAt(0) : null, currency: 'BTC' })], from, to),
      }),
    ],
  };
  return { bot_id: botId, books: [...(books[botId] ?? [])], erased: null };
}

export const ledgers = (by?: By, from?: string, to?: string): LedgerList => ({
  rate_currencies: ['EUR', 'USD'],
  items: [WELL, BROKEN, SCHEDULED].map((id) => ledgerOf(id, by, from, to)),
});

function entry(seq: number, over: Partial<LedgerEntry>): LedgerEntry {
  return {
    mode: 'live',
    seq,
    at: back((20 - seq) * 37 * MINUTE),
    type: 'fill',
    id: `t-${seq}`,
    venue: 'alpaca',
    account: 'main',
    symbol: 'AAPL',
    side: seq % 2 === 0 ? 'SELL' : 'BUY',
    position_side: 'net',
    kind: null,
    quantity: '10',
    moved: seq % 2 === 0 ? '-10' : '10',
    price: `18${seq % 7}.21`,
    realised: seq % 2 === 0 ? '28.1' : '0',
    realised_currency: 'USD',
    charge: '0.35',
    charge_currency: 'USD',
    unknown: null,
    unverified: false,
    difference: null,
    problem: null,
    ...over,
  };
}

export function entriesOf(botId: string, mode: string | undefined): LedgerEntries {
  const all = [
    entry(19, {}),
    entry(18, { difference: 'The venue says 28.05 realised' }),
    entry(17, {
      type: 'cash_flow',
      side: null,
      position_side: null,
      kind: 'dividend',
      quantity: null,
      moved: null,
      price: null,
      realised: null,
      realised_currency: null,
      charge: '12.5',
    }),
    ...[16, 15, 14, 13].map((seq) => entry(seq, {})),
    entry(12, {
      type: 'adjustment',
      side: null,
      position_side: null,
      kind: 'opening',
      moved: '10',
      price: null,
      realised: null,
      realised_currency: null,
      charge: null,
      charge_currency: null,
    }),
  ];
  const has = botId === WELL && (mode === undefined || mode === 'live');
  return { bot_id: botId, entries: has ? all : [], older_before: has ? `${Date.parse(all[7]?.at ?? '')}-12` : null };
}

export function problemsOf(botId: string): LedgerProblems {
  const at = back(90 * MINUTE);
  return {
    bot_id: botId,
    problems:
      botId === WELL
        ? [
            {
              mode: 'live',
              seq: 811,
              at,
              type: 'fill',
              reason: 'conflict',
              message: 'the row with seq 790 has the same id, and says something else',
              row: '{"_metric":"fill","fill_id":"t-9","symbol":"AAPL","side":"BUY","quantity":"10","price":"184.1"}',
            },
            {
              mode: 'live',
              seq: 640,
              at,
              type: 'fill',
              reason: 'refused',
              message: 'side must be BUY or SELL',
              row: '{"_metric":"fill","fill_id":"t-4","symbol":"AAPL","side":"buy","quantity":"10","price":"183.9"}',
            },
          ]
        : [],
  };
}

export function conflictsOf(botId: string): LedgerConflicts {
  const row = (seq: number, minutes: number, price: string) => ({
    ...{ seq, at: back(minutes * MINUTE) },
    row: `{"_metric":"fill","fill_id":"t-9","symbol":"AAPL","side":"BUY","quantity":"10","price":"${price}"}`,
  });
  const conflict: LedgerConflict = {
    ...{ mode: 'live', type: 'fill', id: 't-9', symbol: 'AAPL', account: null, fields: ['price'] },
    counts: row(790, 95, '184.05'),
    other: row(811, 90, '184.1'),
  };
  return { bot_id: botId, conflicts: botId === WELL ? [conflict] : [], older_before: null };
}

function order(seq: number, over: Partial<LedgerOrder>): LedgerOrder {
  const at = back((20 - seq) * 37 * MINUTE + 2000);
  return {
    mode: 'live',
    seq,
    at,
    client_order_id: `o-${seq}`,
    decision_id: `d-${seq}`,
    leg: null,
    venue: 'alpaca',
    account: 'main',
    symbol: 'AAPL',
    side: 'BUY',
    type: 'limit',
    quantity: '10',
    price: '185.2',
    currency: 'USD',
    status: 'filled',
    reason: null,
    duplicate_of: null,
    history: [{ seq, at, status: 'new', reason: null }],
    ...over,
  };
}

export function ordersOf(botId: string, mode: string | undefined): LedgerOrders {
  const has = botId === WELL && (mode === undefined || mode === 'live');
  const orders = [
    order(19, { status: 'partially_filled' }),
    order(18, { side: 'SELL', duplicate_of: 'o-17', decision_id: 'd-17' }),
    order(17, { side: 'SELL', status: 'rejected', reason: 'insufficient buying power', price: null, type: 'market' }),
  ];
  return { bot_id: botId, orders: has ? orders : [], older_before: null };
}

/** The equity of one account, that moves, falls and recovers. */
export function equityOf(botId: string, mode: string | undefined): LedgerEquity {
  const points = Array.from({ length: 60 }, (_, i) => {
    const value = (12_000 + i * 8 + Math.round(220 * Math.sin(i / 6))).toFixed(2);
    return { at: back((60 - i) * 36 * 60 * MINUTE), value, low: value, high: value };
  });
  const curve = { mode: 'live' as const, venue: 'alpaca', account: 'main', currency: 'USD', points };
  return { bot_id: botId, curves: botId === WELL && (mode === undefined || mode === 'live') ? [curve] : [] };
}

export const SUMMARIES: LedgerSummaries = {
  items: [
    {
      bot_id: WELL,
      ledger: [
        {
          mode: 'live',
          today: [],
          open_positions: 2,
          unrealised: [],
          equity: [],
          last_fill: null,
          last_signal: null,
          signals_today: 12,
          problems: 2,
        },
      ],
    },
  ],
  incomplete: false,
};
