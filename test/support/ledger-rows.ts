import type { SentRow } from './ledger-oracle.ts';
import type { SeededRandom } from './seeded-random.ts';

const SYMBOLS = [
  { symbol: 'AAPL', currency: 'USD' },
  { symbol: 'BTCUSDT', currency: 'USDT', base: 'BTC' },
  { symbol: 'ETH-PERP', currency: 'USDC', contract: 'linear', multiplier: '0.1' },
  { symbol: 'BTCUSD', currency: 'BTC', contract: 'inverse', multiplier: '100' },
  { symbol: 'SPY C600', currency: 'USD', contract: 'option', multiplier: '100' },
];

const KINDS = ['opening', 'transfer', 'reward', 'dust', 'conversion', 'expiry', 'exercise', 'assignment'];

function digits(random: SeededRandom, most: number): string {
  const whole = 1 + random.below(most);
  return random.below(3) === 0 ? String(whole) : `${whole}.${random.text('0123456789', 1 + random.below(8))}`;
}

/** A row that changes or compares a holding, as a bot may send it, odd ones among them; `at` makes its id. */
export function someRow(random: SeededRandom, at: number): { type: 'fill' | 'adjustment' | 'position'; data: SentRow } {
  const { contract, multiplier, currency, base, symbol } = random.pick<Record<string, string>>(SYMBOLS);
  const place = random.below(4) === 0 ? { account: 'second' } : {};
  const side = random.pick(['net', 'net', 'net', 'long', 'short']);
  const sign = random.below(2) === 0 ? '' : '-';
  const draw = random.below(20);
  if (draw === 0) return { type: 'position', data: { symbol: symbol ?? '', quantity: digits(random, 5), ...place } };
  if (draw < 4) {
    const kind = random.below(5) === 0 ? 'split' : random.pick(KINDS);
    const ratio = kind === 'split' ? { ratio: random.pick(['2', '4', '0.5', '1.5', '0.1']) } : {};
    const cost = random.below(2) === 0 ? { cost: digits(random, 1000) } : {};
    const quantity = random.below(30) === 0 ? '0' : `${sign}${digits(random, 4)}`;
    return {
      type: 'adjustment',
      data: { adjustment_id: `a${at}`, symbol: symbol ?? '', kind, quantity, ...ratio, ...cost, ...place },
    };
  }
  const fee =
    random.below(3) === 0
      ? { fee: `${sign}0.${random.text('0123456789', 4)}`, fee_currency: random.pick([base ?? 'BNB', 'BNB']) }
      : {};
  const price = contract !== 'inverse' && random.below(40) === 0 ? `-${digits(random, 40)}` : digits(random, 70_000);
  return {
    type: 'fill',
    data: {
      fill_id: `f${at}`,
      symbol: symbol ?? '',
      side: random.pick(['BUY', 'SELL']),
      quantity: digits(random, 5),
      price,
      position_side: side,
      ...(contract === undefined ? {} : { contract }),
      ...(multiplier === undefined ? {} : { multiplier }),
      ...(base === undefined ? {} : { base }),
      ...(random.below(8) === 0 || currency === undefined
        ? {}
        : { currency: random.below(50) === 0 ? 'JPY' : currency }),
      ...(random.below(10) === 0 ? { realised: `${sign}${digits(random, 100)}` } : {}),
      ...fee,
      ...place,
    },
  };
}
