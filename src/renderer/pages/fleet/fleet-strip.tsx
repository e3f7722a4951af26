import { CircleAlert, CircleCheck } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Ledger } from '../../../contract/ledger.ts';
import { Money } from '../../components/money.tsx';
import { useDayZone } from '../../data/ledger/day-zone.ts';
import {
  type CurrencyAmount,
  MODE_LABELS,
  MODE_MEANINGS,
  type Mode,
  type ModeTotals,
  modeTotals,
  noProfitWords,
  unnamedWords,
} from '../../data/ledger/mode-totals.ts';
import styles from './fleet-strip.module.css';

/** Currencies of a mode that the strip has room for; the portfolio has the rest. */
const MOST = 2;

interface StripProps {
  /** Number of bots that need attention. */
  readonly need: number;
  /** Books of today; null until they are read. */
  readonly today: readonly Ledger[] | null;
  /** Signals of today by mode; null where the host could not tell. */
  readonly signals: ReadonlyMap<Mode, number> | null;
  readonly onNeed: () => void;
}

/** What all bots earned today and hold, and whether one of them needs somebody: the answer of the page. */
export function FleetStrip({ need, today, signals, onNeed }: StripProps) {
  const totals = useMemo(() => modeTotals(today ?? []), [today]);
  return (
    <section className={styles.strip} aria-label="All bots today">
      {totals.map((one) => (
        <OfMode key={one.mode} of={one} signals={signals?.get(one.mode) ?? 0} />
      ))}
      {need === 0 ? (
        <p className={`${styles.fact} ${styles.well}`}>
          <CircleCheck aria-hidden="true" />
          No bot needs you
        </p>
      ) : (
        <button type="button" className={`${styles.fact} ${styles.need}`} onClick={onNeed}>
          <CircleAlert aria-hidden="true" />
          {need} {need === 1 ? 'needs' : 'need'} you
        </button>
      )}
    </section>
  );
}

function OfMode({ of, signals }: { readonly of: ModeTotals; readonly signals: number }) {
  const zone = useDayZone();
  const isUtc = zone.name === 'UTC';
  const rest = of.profit.length - MOST;
  return (
    <div className={styles.mode}>
      <span className={styles.name} title={MODE_MEANINGS[of.mode]}>
        <strong className={styles[of.mode]}>{MODE_LABELS[of.mode]}</strong>{' '}
        <span title={`Since midnight in ${zone.words}, realised, after fees`}>profit today</span>
        {isUtc ? <span className={styles.utc}>UTC</span> : null}
      </span>
      <span className={styles.amounts}>
        {of.profit.length === 0 ? <span className={styles.nothing}>{noProfitWords(of)}</span> : null}
        {of.profit.slice(0, MOST).map(({ currency, amount }) => (
          <Money key={currency} of={amount} currency={currency} signed display />
        ))}
        {rest <= 0 ? null : <Link href="/portfolio">{rest} more</Link>}
        {of.profit.length === 0 || of.unnamed === 0 ? null : <Link href="/portfolio">{unnamedWords(of)}</Link>}
      </span>
      <span className={styles.more}>
        <Equity of={of.equity} />
        <Link href={`/portfolio?mode=${of.mode}`}>
          {of.positions === 1 ? '1 open position' : `${of.positions} open positions`}
        </Link>
        {signals === 0 ? null : (
          <span>
            {signals === 1 ? '1 signal' : `${signals} signals`}
            {/* The host counts them by UTC days alone. */}
            {isUtc ? '' : ' since 00:00 UTC'}
          </span>
        )}
      </span>
    </div>
  );
}

function Equity({ of }: { readonly of: readonly CurrencyAmount[] }) {
  if (of.length === 0) return null;
  return (
    <span className={styles.equity} title="The newest equity that bots reported, each account once">
      Equity
      {of.slice(0, MOST).map(({ currency, amount }) => (
        <Money key={currency} of={amount} currency={currency} />
      ))}
    </span>
  );
}
