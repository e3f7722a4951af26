import { expect, it } from 'vitest';
import { booksOf, NOTHING, type Sent } from '../../../../support/statement-books.ts';

/**
 * Statements of venues, made up in the shape in which each venue publishes them, and what a bot makes of them. Their results
 * were worked out by hand, as the comment beside each says.
 */

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
