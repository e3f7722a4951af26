import { useContext } from 'react';
import { signOfDigits } from '../../../shared/exact-digits.ts';
import { AmountsHidden } from '../../components/money.tsx';
import { moneyText } from '../../components/money-text.ts';
import { Section } from '../../components/section.tsx';
import { calendarWeeks, type DayProfit } from '../../data/ledger/profit-curve.ts';
import { useMatches } from '../../data/use-media-query.ts';
import styles from './portfolio.module.css';

/** Weeks that have room for the amounts; more of them are shown as signs alone. */
const MOST_WEEKS_WITH_AMOUNTS = 6;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

interface CalendarProps {
  readonly days: readonly DayProfit[];
  /** Null: from the first day with a profit on. */
  readonly from: string | null;
  readonly to: string;
  readonly currency: string;
}

/** Profit of each day as a calendar: a week is a row, newest last. */
export function Calendar({ days, from, to, currency }: CalendarProps) {
  const profits = new Map(days.map(({ day, net }) => [day, net]));
  const first = [...profits.keys()].sort()[0] ?? to;
  const weeks = calendarWeeks(from === null || from < first ? first : from, to);
  const isNarrow = useMatches('(max-width: 48rem)');
  const isShort = !isNarrow && weeks.length <= MOST_WEEKS_WITH_AMOUNTS;
  return (
    <Section title="Profit by day">
      <div className={styles.calendarScroll}>
        <table className={isShort ? styles.calendar : styles.strips}>
          <caption className="visually-hidden">Net profit of each day in {currency}</caption>
          {isShort ? (
            <>
              <thead>
                <tr>
                  <th>
                    <span className="visually-hidden">Week of</span>
                  </th>
                  {WEEKDAYS.map((name) => (
                    <th key={name}>{name}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {weeks.map((week) => (
                  <tr key={week.find((day) => day !== null)}>
                    <th scope="row">{week.find((day) => day !== null)?.slice(5)}</th>
                    {week.map((day, index) => (
                      <Day key={WEEKDAYS[index]} day={day} net={profits.get(day ?? '')} currency={currency} amounts />
                    ))}
                  </tr>
                ))}
              </tbody>
            </>
          ) : (
            <tbody>
              {WEEKDAYS.map((name, index) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {weeks.map((week, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the weeks have no other name where a day is outside
                    <Day key={at} day={week[index] ?? null} net={profits.get(week[index] ?? '')} currency={currency} />
                  ))}
                </tr>
              ))}
            </tbody>
          )}
        </table>
      </div>
    </Section>
  );
}

interface DayProps {
  readonly day: string | null;
  readonly net: string | undefined;
  readonly currency: string;
  readonly amounts?: boolean;
}

function Day({ day, net, currency, amounts = false }: DayProps) {
  const hidden = useContext(AmountsHidden);
  if (day === null) return <td />;
  const sign = net === undefined ? 0 : signOfDigits(net);
  const tone = sign > 0 ? styles.gain : sign < 0 ? styles.loss : styles.flat;
  const words = net === undefined ? 'nothing' : hidden ? (sign < 0 ? 'a loss' : 'a gain') : moneyText(net, true);
  return (
    <td
      className={`${styles.day} ${tone}`}
      title={`${day}: ${words}${net === undefined || hidden ? '' : ` ${currency}`}`}
    >
      <span className="visually-hidden">
        {day} {words}
      </span>
      <span aria-hidden="true">
        {amounts && net !== undefined && !hidden ? words : sign > 0 ? '+' : sign < 0 ? '−' : '·'}
      </span>
    </td>
  );
}
