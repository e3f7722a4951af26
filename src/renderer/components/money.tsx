import { createContext, useContext } from 'react';
import { signOfDigits } from '../../shared/exact-digits.ts';
import styles from './money.module.css';
import { digitsText, moneyText } from './money-text.ts';

/** True while amounts are hidden, so that somebody else may look at the screen. */
export const AmountsHidden = createContext(false);

const DOTS = '•••';

interface MoneyProps {
  /** Exact digits, as the ledger sends them. */
  readonly of: string;
  /** Null where the rows name none; left out where a column or heading says it. */
  readonly currency?: string | null;
  /** A gain or loss: with sign and colour. */
  readonly signed?: boolean;
  /** The answer of the page: bigger, and with an arrow. */
  readonly display?: boolean;
}

/** An amount of money. Its tooltip has the exact digits. */
export function Money({ of, currency, signed = false, display = false }: MoneyProps) {
  const hidden = useContext(AmountsHidden);
  const sign = signOfDigits(of);
  const unit = currency === undefined ? null : (currency ?? 'no currency');
  const tone = signed && sign !== 0 ? (sign > 0 ? styles.up : styles.down) : '';
  return (
    <span className={`${styles.money} ${display ? styles.display : ''}`}>
      <span className={tone} title={hidden ? undefined : `${of}${unit === null ? '' : ` ${unit}`}`}>
        {display && signed && sign !== 0 ? (
          <span className={styles.arrow} aria-hidden="true">
            {sign > 0 ? '▲' : '▼'}
          </span>
        ) : null}
        {hidden ? <Hidden /> : moneyText(of, signed)}
      </span>
      {unit === null ? null : <span className={styles.unit}>{unit}</span>}
    </span>
  );
}

/** A price or a quantity, exact; `hides`: it tells how much somebody has. */
export function Amount({ of, hides = false }: { readonly of: string; readonly hides?: boolean }) {
  const hidden = useContext(AmountsHidden) && hides;
  return <span className={styles.money}>{hidden ? <Hidden /> : digitsText(of)}</span>;
}

function Hidden() {
  return (
    <>
      <span aria-hidden="true">{DOTS}</span>
      <span className="visually-hidden">hidden</span>
    </>
  );
}
