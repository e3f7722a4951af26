import { ArrowBigDown, ArrowBigUp } from 'lucide-react';
import styles from './signal-side.module.css';

/** BUY or SELL as sign and word, for charts. */
export function Side({ of }: { readonly of: 'BUY' | 'SELL' }) {
  const Arrow = of === 'BUY' ? ArrowBigUp : ArrowBigDown;
  return (
    <span className={`${styles.side} ${of === 'BUY' ? styles.buy : styles.sell}`}>
      <Arrow aria-hidden="true" />
      {of}
    </span>
  );
}
