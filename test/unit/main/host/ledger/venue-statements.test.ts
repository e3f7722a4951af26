import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { decimalText, storedDecimal, ZERO } from '../../../../../src/main/host/ledger/decimal.ts';
import { openLedger } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { LedgerReader } from '../../../../../src/main/host/ledger/ledger-reader.ts';
import { LedgerWriter } from '../../../../../src/main/host/ledger/ledger-writer.ts';
import type { LedgerType } from '../../../../../src/main/host/ledger/vocabulary.ts';
import { tempDir } from '../../../../support/temp.ts';

/**
 * Statements of venues, made up in the shape in which each venue publishes them, and what a bot makes of them. Their results
 * were worked out by hand, as the comment beside each says.
 */

type Sent = readonly [type: LedgerType, data: Readonly<Record<string, unknown>>];

/** What the books say: sums by kind and currency, what is held at which average price, and what is in no sum. */
function booksOf(sent: readonly Sent[]) {
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
  for (const { kind, currency, amount } of reader.totals(book.id, 0, 100_000)) {
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

const NOTHING = { held: [], differences: [], problems: [] };

it('books spot trades of Binance, with a fee in the bought coin and one in BNB', () => {
  const trades = [
    {
      symbol: 'BTCUSDT',
      id: 28457,
      price: '40000.00',
      qty: '1.00000000',
      commission: '0.00100000',
      commissionAsset: 'BTC',
      isBuyer: true,
      time: 1767225600000,
    },
    {
      symbol: 'BTCUSDT',
      id: 28460,
      price: '42000.00',
      qty: '0.50000000',
      commission: '0.02000000',
      commissionAsset: 'BNB',
      isBuyer: false,
      time: 1767312000000,
    },
  ];
  const books = booksOf(
    trades.map(
      (t): Sent => [
        'fill',
        {
          ...{ fill_id: t.id, symbol: t.symbol, side: t.isBuyer ? 'BUY' : 'SELL', quantity: t.qty, price: t.price },
          ...{ fee: t.commission, fee_currency: t.commissionAsset, currency: 'USDT', base: 'BTC', time: t.time },
        },
      ],
    ),
  );
  // 1 - 0.001 bought; (42000 - 40000) x 0.5; 0.499 are left.
  expect(books).toEqual({
    ...NOTHING,
    sums: { 'realised USDT': '1000', 'fill_fee BTC': '0.001', 'fill_fee BNB': '0.02' },
    held: ['BTCUSDT net 0.499 at 40000'],
  });
});

it('books a linear perpetual of Bybit with its funding', () => {
  const list = [
    {
      symbol: 'ETHUSDT',
      execId: 'e1',
      execType: 'Trade',
      side: 'Buy',
      execPrice: '3000',
      execQty: '2',
      execFee: '3.3',
      execTime: '1767225600000',
    },
    {
      symbol: 'ETHUSDT',
      execId: 'e2',
      execType: 'Funding',
      side: 'Sell',
      execPrice: '3020',
      execQty: '2',
      execFee: '0.6',
      execTime: '1767254400000',
    },
    {
      symbol: 'ETHUSDT',
      execId: 'e3',
      execType: 'Trade',
      side: 'Sell',
      execPrice: '3100',
      execQty: '2',
      execFee: '3.41',
      execTime: '1767268800000',
    },
  ];
  const books = booksOf(
    list.map(
      (e): Sent =>
        e.execType === 'Funding'
          ? [
              'cash_flow',
              {
                flow_id: e.execId,
                kind: 'funding',
                amount: `-${e.execFee}`,
                currency: 'USDT',
                symbol: e.symbol,
                time: e.execTime,
              },
            ]
          : [
              'fill',
              {
                ...{
                  fill_id: e.execId,
                  symbol: e.symbol,
                  side: e.side.toUpperCase(),
                  quantity: e.execQty,
                  price: e.execPrice,
                },
                ...{ fee: e.execFee, fee_currency: 'USDT', currency: 'USDT', contract: 'linear', time: e.execTime },
              },
            ],
    ),
  );
  // (3100 - 3000) x 2; 3.3 + 3.41.
  expect(books).toEqual({
    ...NOTHING,
    sums: { 'realised USDT': '200', 'fill_fee USDT': '6.71', 'funding USDT': '-0.6' },
  });
});

it('books an inverse perpetual of BitMEX, whose contract is one dollar', () => {
  const executions = [
    {
      execID: 'x1',
      symbol: 'XBTUSD',
      side: 'Buy',
      lastQty: 10000,
      lastPx: 50000,
      commission: '0.00015',
      timestamp: '2026-01-02T10:00:00.000Z',
    },
    {
      execID: 'x2',
      symbol: 'XBTUSD',
      side: 'Sell',
      lastQty: 10000,
      lastPx: 62500,
      commission: '-0.00004',
      timestamp: '2026-01-03T10:00:00.000Z',
    },
  ];
  const books = booksOf(
    executions.map(
      (x): Sent => [
        'fill',
        {
          ...{ fill_id: x.execID, symbol: x.symbol, side: x.side.toUpperCase(), quantity: x.lastQty, price: x.lastPx },
          ...{ fee: x.commission, fee_currency: 'XBT', currency: 'XBT', contract: 'inverse', time: x.timestamp },
        },
      ],
    ),
  );
  // 10000 / 50000 - 10000 / 62500 = 0.2 - 0.16; a rebate of 0.00004.
  expect(books).toEqual({ ...NOTHING, sums: { 'realised XBT': '0.04', 'fill_fee XBT': '0.00011' } });
});

it('books a swap of OKX in hedge mode, whose fees have the other sign', () => {
  const data = [
    {
      instId: 'BTC-USDT-SWAP',
      tradeId: '1',
      side: 'sell',
      posSide: 'short',
      fillPx: '60000',
      fillSz: '10',
      fee: '-1.2',
      feeCcy: 'USDT',
      fillPnl: '0',
      ts: '1767225600000',
    },
    {
      instId: 'BTC-USDT-SWAP',
      tradeId: '2',
      side: 'buy',
      posSide: 'long',
      fillPx: '59900',
      fillSz: '3',
      fee: '-0.9',
      feeCcy: 'USDT',
      fillPnl: '0',
      ts: '1767225700000',
    },
    {
      instId: 'BTC-USDT-SWAP',
      tradeId: '3',
      side: 'buy',
      posSide: 'short',
      fillPx: '59000',
      fillSz: '10',
      fee: '-1.18',
      feeCcy: 'USDT',
      fillPnl: '100',
      ts: '1767225800000',
    },
  ];
  const books = booksOf(
    data.map(
      (f): Sent => [
        'fill',
        {
          ...{
            fill_id: f.tradeId,
            symbol: f.instId,
            side: f.side.toUpperCase(),
            position_side: f.posSide,
            quantity: f.fillSz,
            price: f.fillPx,
          },
          ...{
            fee: f.fee.slice(1),
            fee_currency: f.feeCcy,
            currency: 'USDT',
            contract: 'linear',
            multiplier: '0.01',
            time: f.ts,
            ...(f.fillPnl === '0' ? {} : { realised: f.fillPnl }),
          },
        },
      ],
    ),
  );
  // (60000 - 59000) x 10 x 0.01, as the venue says; the long position stays.
  expect(books).toEqual({
    ...NOTHING,
    sums: { 'realised USDT': '100', 'fill_fee USDT': '3.28' },
    held: ['BTC-USDT-SWAP long 3 at 59900'],
  });
});

it('books options of Deribit: one sold again, one that expires', () => {
  const trades = [
    {
      trade_id: 'B-1',
      instrument_name: 'BTC-27MAR26-60000-C',
      direction: 'buy',
      amount: 1,
      price: 0.05,
      fee: 0.0003,
      timestamp: 1767225600000,
    },
    {
      trade_id: 'B-2',
      instrument_name: 'BTC-27MAR26-60000-C',
      direction: 'sell',
      amount: 1,
      price: 0.08,
      fee: 0.0003,
      timestamp: 1767312000000,
    },
    {
      trade_id: 'B-3',
      instrument_name: 'BTC-27MAR26-90000-C',
      direction: 'buy',
      amount: 2,
      price: 0.02,
      fee: 0.0006,
      timestamp: 1767312000001,
    },
  ];
  const books = booksOf([
    ...trades.map(
      (t): Sent => [
        'fill',
        {
          ...{
            fill_id: t.trade_id,
            symbol: t.instrument_name,
            side: t.direction.toUpperCase(),
            quantity: t.amount,
            price: t.price,
          },
          ...{ fee: t.fee, fee_currency: 'BTC', currency: 'BTC', contract: 'option', time: t.timestamp },
        },
      ],
    ),
    [
      'adjustment',
      {
        adjustment_id: 'delivery-1',
        symbol: 'BTC-27MAR26-90000-C',
        kind: 'expiry',
        quantity: -2,
        time: '2026-03-27T08:00:00Z',
      },
    ],
  ]);
  // 0.08 - 0.05 = 0.03, and 2 x 0.02 lost.
  expect(books).toEqual({ ...NOTHING, sums: { 'realised BTC': '-0.01', 'fill_fee BTC': '0.0012' } });
});

it('books a future from a Flex statement of Interactive Brokers, and shows that its profit is after commissions', () => {
  const trades = [
    {
      tradeID: '7001',
      symbol: 'ESM6',
      buySell: 'BUY',
      quantity: '2',
      tradePrice: '5000.25',
      multiplier: '50',
      ibCommission: '-4.5',
      fifoPnlRealized: '0',
      dateTime: '2026-03-02T15:30:00Z',
    },
    {
      tradeID: '7002',
      symbol: 'ESM6',
      buySell: 'SELL',
      quantity: '-2',
      tradePrice: '5010.75',
      multiplier: '50',
      ibCommission: '-4.5',
      fifoPnlRealized: '1041',
      dateTime: '2026-03-02T16:30:00Z',
    },
  ];
  const books = booksOf(
    trades.map(
      (t): Sent => [
        'fill',
        {
          ...{
            fill_id: t.tradeID,
            symbol: t.symbol,
            side: t.buySell,
            quantity: t.quantity.replace('-', ''),
            price: t.tradePrice,
          },
          ...{
            fee: t.ibCommission.slice(1),
            fee_currency: 'USD',
            currency: 'USD',
            contract: 'linear',
            multiplier: t.multiplier,
            time: t.dateTime,
            ...(t.fifoPnlRealized === '0' ? {} : { realised: t.fifoPnlRealized }),
          },
        },
      ],
    ),
  );
  // 10.5 x 2 x 50 = 1050; the statement has 9 of commissions less.
  expect(books).toEqual({ ...NOTHING, sums: { 'realised USD': '1050', 'fill_fee USD': '9' }, differences: [2] });
});

it('books a stock from a Flex statement with a split, a dividend and the tax on it', () => {
  const stock = { symbol: 'NVDA', currency: 'USD' };
  const books = booksOf([
    [
      'fill',
      {
        ...stock,
        fill_id: '8001',
        side: 'BUY',
        quantity: '10',
        price: '400',
        fee: '1',
        fee_currency: 'USD',
        time: '2026-01-05T15:00:00Z',
      },
    ],
    ['adjustment', { ...stock, adjustment_id: 'FS-1', kind: 'split', ratio: '4', quantity: '30', time: '2026-02-02' }],
    ['cash_flow', { ...stock, flow_id: 'div-1', kind: 'dividend', amount: '8.2', time: '2026-03-02' }],
    ['cash_flow', { ...stock, flow_id: 'tax-1', kind: 'tax', amount: '-1.23', time: '2026-03-02' }],
    [
      'fill',
      {
        ...stock,
        fill_id: '8002',
        side: 'SELL',
        quantity: '20',
        price: '120',
        fee: '1',
        fee_currency: 'USD',
        time: '2026-04-01T15:00:00Z',
      },
    ],
  ]);
  // 40 at 100 after the split; (120 - 100) x 20.
  const sums = { 'realised USD': '400', 'fill_fee USD': '2', 'dividend USD': '8.2', 'tax USD': '-1.23' };
  expect(books).toEqual({ ...NOTHING, sums, held: ['NVDA net 20 at 100'] });
});

it('books the sale of coins that Kraken held before the first trade of the bot', () => {
  const sale = {
    txid: 'TXA-1',
    pair: 'XETHZEUR',
    type: 'sell',
    price: '1800.50',
    vol: '0.5',
    fee: '1.17',
    time: 1767312000.8802,
  };
  const books = booksOf([
    [
      'adjustment',
      {
        adjustment_id: 'before',
        symbol: 'XETHZEUR',
        kind: 'opening',
        quantity: '1',
        cost: '1500',
        currency: 'EUR',
        time: '2026-01-01',
      },
    ],
    [
      'fill',
      {
        ...{
          fill_id: sale.txid,
          symbol: sale.pair,
          side: sale.type.toUpperCase(),
          quantity: sale.vol,
          price: sale.price,
        },
        ...{ fee: sale.fee, fee_currency: 'EUR', currency: 'EUR', base: 'ETH', time: sale.time },
      },
    ],
  ]);
  // (1800.5 - 1500) x 0.5.
  expect(books).toEqual({
    ...NOTHING,
    sums: { 'realised EUR': '150.25', 'fill_fee EUR': '1.17' },
    held: ['XETHZEUR net 0.5 at 1500'],
  });
});

it('books fills of Coinbase, with a staking reward that cost nothing', () => {
  const fills = [
    {
      trade_id: 'c1',
      product_id: 'ETH-USD',
      price: '2000',
      size: '0.5',
      commission: '5',
      side: 'BUY',
      trade_time: '2026-01-02T00:00:00Z',
    },
    {
      trade_id: 'c2',
      product_id: 'ETH-USD',
      price: '2200',
      size: '0.5',
      commission: '5.5',
      side: 'SELL',
      trade_time: '2026-01-04T00:00:00Z',
    },
  ].map(
    (f): Sent => [
      'fill',
      {
        ...{ fill_id: f.trade_id, symbol: f.product_id, side: f.side, quantity: f.size, price: f.price },
        ...{ fee: f.commission, fee_currency: 'USD', currency: 'USD', base: 'ETH', time: f.trade_time },
      },
    ],
  );
  const reward: Sent = [
    'adjustment',
    { adjustment_id: 'stake-1', symbol: 'ETH-USD', kind: 'reward', quantity: '0.01', time: '2026-01-03' },
  ];
  // (2200 - 2000) x 0.5; the reward is the newest lot and stays.
  expect(booksOf([...fills, reward])).toEqual({
    ...NOTHING,
    sums: { 'realised USD': '100', 'fill_fee USD': '10.5' },
    held: ['ETH-USD net 0.01 at 0'],
  });
});

it('books no side of Alpaca that the vocabulary does not have, and the short sale once it is spelled right', () => {
  const activities = [
    {
      id: '20260102::a',
      symbol: 'F',
      side: 'sell_short',
      qty: '5',
      price: '20',
      transaction_time: '2026-01-02T15:00:00Z',
    },
    { id: '20260103::b', symbol: 'F', side: 'buy', qty: '5', price: '18', transaction_time: '2026-01-03T15:00:00Z' },
  ];
  const fill = (a: (typeof activities)[number], side: string): Sent => [
    'fill',
    {
      fill_id: a.id,
      symbol: a.symbol,
      side,
      quantity: a.qty,
      price: a.price,
      currency: 'USD',
      time: a.transaction_time,
    },
  ];
  const books = booksOf([
    ...activities.slice(0, 1).map((a) => fill(a, a.side)),
    ...activities.map((a) => fill(a, a.side === 'buy' ? 'BUY' : 'SELL')),
  ]);
  // (20 - 18) x 5.
  expect(books).toEqual({
    ...NOTHING,
    sums: { 'realised USD': '10' },
    problems: [{ seq: 1, reason: 'refused', problem: '`side` must be one of BUY, SELL' }],
  });
});

it('does not book a sale in pounds of shares that Trading 212 bought in pence', () => {
  const books = booksOf([
    [
      'fill',
      {
        fill_id: 'EOF1',
        symbol: 'VOD',
        side: 'BUY',
        quantity: '100',
        price: '70.5',
        currency: 'GBX',
        time: '2026-01-02T10:00:00Z',
      },
    ],
    [
      'fill',
      {
        fill_id: 'EOF2',
        symbol: 'VOD',
        side: 'SELL',
        quantity: '100',
        price: '0.75',
        currency: 'GBP',
        time: '2026-01-05T10:00:00Z',
      },
    ],
  ]);
  expect(books).toEqual({
    ...NOTHING,
    sums: {},
    held: ['VOD net 100 at 70.5'],
    problems: [{ seq: 2, reason: 'not_booked', problem: expect.stringContaining('GBX') }],
  });
});

it('takes back a trade that CME busted, and books the corrected price of another', () => {
  const future = { symbol: 'CLK6', currency: 'USD', contract: 'linear', multiplier: '1000' };
  const books = booksOf([
    ['fill', { ...future, fill_id: 'm1', side: 'BUY', quantity: '1', price: '-2.5', time: '2026-01-02T10:00:00Z' }],
    ['fill', { ...future, fill_id: 'm2', side: 'BUY', quantity: '1', price: '9', time: '2026-01-02T10:01:00Z' }],
    ['fill', { ...future, fill_id: 'm3', side: 'SELL', quantity: '1', price: '1.5', time: '2026-01-02T10:02:00Z' }],
    ['fill', { symbol: 'CLK6', fill_id: 'bust', revises: 'm2', cancelled: true }],
    ['fill', { ...future, fill_id: 'fix', revises: 'm3', side: 'SELL', quantity: '1', price: '1.25' }],
  ]);
  // (1.25 - -2.5) x 1000.
  expect(books).toEqual({ ...NOTHING, sums: { 'realised USD': '3750' } });
});
