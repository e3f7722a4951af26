import { digitsText } from '../../components/money-text.ts';
import { formatNumber } from '../../components/number.ts';
import { Ago } from '../../components/time.tsx';
import type { Trade } from '../../data/metrics/newest-trade.ts';
import type { SmallMetrics } from '../../data/metrics/sparklines.ts';
import styles from './last-trade.module.css';

function priceText(price: Trade['price']): string {
  if (price === null) return '';
  return typeof price === 'number' ? formatNumber(price) : digitsText(price);
}

/** The last signal or fill of a bot in words. */
export function LastTrade({ of }: { readonly of: SmallMetrics | null }) {
  const trade = of?.trade ?? null;
  if (trade === null) return null;
  const words = [trade.symbol, priceText(trade.price)].filter(Boolean).join(' ');
  return (
    <span className={styles.trade} title={`${trade.what === 'fill' ? 'Fill' : 'Signal'}: ${trade.side} ${words}`}>
      <span className={styles.words}>
        <strong className={trade.side === 'BUY' ? styles.buy : styles.sell}>{trade.side}</strong> {words}
      </span>
      <span className={styles.when}>
        {trade.what} · <Ago at={new Date(trade.at).toISOString()} />
      </span>
    </span>
  );
}
