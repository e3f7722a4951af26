import type { LedgerConversion } from '../../../contract/ledger.ts';
import { Ago } from '../../components/time.tsx';
import styles from './portfolio.module.css';
import type { BotBook } from './ranges-and-books.ts';

/** Every rate and missing currency of these books, once. */
function usedBy(books: readonly BotBook[]): LedgerConversion['rates'] {
  const rates = books.flatMap(({ book }) => book.conversion?.rates ?? []);
  return [...new Map(rates.map((rate) => [`${rate.base} ${rate.quote}`, rate])).values()];
}

interface RatesProps {
  readonly books: readonly BotBook[];
  readonly currency: string;
  readonly nameOf: (botId: string) => string;
}

/** By which rates the amounts were converted, how old each is, and what has none. */
export function Rates({ books, currency, nameOf }: RatesProps) {
  const rates = usedBy(books);
  const missing = [...new Set(books.flatMap(({ book }) => book.conversion?.missing ?? []))].sort();
  return (
    <ul className={styles.rates} aria-label="Rates">
      {rates.map(({ base, quote, value, at, bot_id }) => (
        <li key={`${base} ${quote}`}>
          1 {base} = {value} {quote}, written by {nameOf(bot_id)} <Ago at={at} />
        </li>
      ))}
      {missing.map((one) => (
        <li key={one}>
          No bot has written a rate between {one} and {currency}, so {one} is not converted.
        </li>
      ))}
      {rates.length + missing.length === 0 ? <li>Nothing had to be converted.</li> : null}
    </ul>
  );
}
