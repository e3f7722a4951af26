import { expect, it } from 'vitest';
import { booksOf, NOTHING, type Sent } from '../../../../support/statement-books.ts';

/**
 * Statements of brokers and of spot exchanges, made up in the shape in which each of them publishes them, and what a bot makes of them. Their results
 * were worked out by hand, as the comment beside each says.
 */

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
