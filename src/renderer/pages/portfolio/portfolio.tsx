import { Eye, EyeOff } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Money } from '../../components/money.tsx';
import { Section } from '../../components/section.tsx';
import { Select } from '../../components/select.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useFleet } from '../../data/fleet.ts';
import { dayAt, useDayZone } from '../../data/ledger/day-zone.ts';
import {
  byCurrency,
  DESK_MODES,
  equityOf,
  MODE_LABELS,
  MODE_MEANINGS,
  profitsOf,
} from '../../data/ledger/mode-totals.ts';
import { profitCurve, worstDrawdown } from '../../data/ledger/profit-curve.ts';
import { useFollowed } from '../../data/ledger/use-followed.ts';
import { choose, usePreferences } from '../../data/preferences.ts';
import { useCall } from '../../data/use-call.ts';
import { hostNow } from '../../host-clock.ts';
import { type HeldPosition, PositionsTable } from '../positions-table.tsx';
import { Breakdown } from './breakdown.tsx';
import { Calendar } from './calendar.tsx';
import { Equity } from './equity.tsx';
import styles from './portfolio.module.css';
import { booksOf, firstDay, RANGES } from './ranges-and-books.ts';
import { Rates } from './rates.tsx';
import { ValueCurve } from './value-curve.tsx';

/** Least time between two readings: the books of all bots are a big answer. */
const NEXT_MS = 3000;

/** What all bots earned and hold, in one mode and one currency at a time: nothing else may be added up. */
export function Portfolio() {
  const [search, setSearch] = useSearchParams();
  const range = RANGES.find(({ value }) => value === search.get('range'))?.value ?? '90d';
  const zone = useDayZone();
  const today = dayAt(zone, hostNow());
  const from = firstDay(range, today);
  const target = search.get('in');
  const asked = { ...(from === null ? {} : { from }), ...(target === null ? {} : { in: target }), ...zone.asked };
  const days = useCall('ledger.list', { by: 'day', ...asked });
  useFollowed(days, { marks: true }, NEXT_MS);
  const bots = useFleet((one) => one.bots);
  const hidden = usePreferences((one) => one.hide_amounts);
  const pick = (name: 'mode' | 'currency' | 'range' | 'in') => (value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(name);
        else next.set(name, value);
        if (name === 'in') next.delete('currency');
        return next;
      },
      { replace: true },
    );
  const ledgers = days.data?.items ?? null;
  const modes = DESK_MODES.filter((mode) => ledgers?.some(({ books }) => books.some((book) => book.mode === mode)));
  const mode = modes.find((one) => one === search.get('mode')) ?? modes[0];
  const books = useMemo(() => (mode === undefined ? [] : booksOf(ledgers ?? [], mode)), [ledgers, mode]);
  const sums = books.flatMap(({ book }) => book.sums);
  const profits = byCurrency(profitsOf(sums));
  const equity = equityOf(books.flatMap(({ botId, book }) => book.equity.map((value) => ({ ...value, botId }))));
  const currencies = [...new Set([...profits, ...equity].map((one) => one.currency))];
  const currency = currencies.find((one) => one === (search.get('currency') ?? target)) ?? currencies[0];
  const daily = useMemo(
    () =>
      [...Map.groupBy(sums, ({ day }) => day ?? '')].flatMap(([day, list]) => {
        const [net] = byCurrency(profitsOf(list).filter((one) => one.currency === currency));
        return net === undefined ? [] : [{ day, net: net.amount }];
      }),
    [sums, currency],
  );
  const curve = useMemo(() => profitCurve(daily), [daily]);
  if (ledgers === null)
    return days.error === null ? <Skeleton rows={6} label="Loading the portfolio" /> : <ErrorNote error={days.error} />;
  if (mode === undefined) return <NothingYet />;
  const named = (id: string) => ({ id, name: bots?.get(id)?.name ?? id });
  const held = books.flatMap(({ botId, book }) =>
    book.positions.map((position): HeldPosition => ({ position, bot: named(botId) })),
  );
  const worst = worstDrawdown(curve);
  const known = days.data?.rate_currencies ?? [];
  const targets = target === null || known.includes(target) ? known : [...known, target].sort();
  const unnamed = sums.some((sum) => sum.currency === null);
  return (
    <div className={styles.portfolio}>
      <header className={styles.head}>
        <h1>Portfolio</h1>
        <Button
          kind="quiet"
          aria-pressed={hidden}
          icon={hidden ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
          onClick={() => choose({ hide_amounts: !hidden })}
        >
          {hidden ? 'Show amounts' : 'Hide amounts'}
        </Button>
      </header>
      {days.error === null ? null : <ErrorNote error={days.error} />}
      <div className={styles.choices}>
        <Choice
          label="Mode"
          value={mode}
          options={modes.map((value) => ({ value, label: MODE_LABELS[value] }))}
          onChange={pick('mode')}
        />
        {currency === undefined || currencies.length < 2 ? null : (
          <Choice
            label="Currency"
            value={currency}
            options={currencies.map((value) => ({ value, label: value }))}
            onChange={pick('currency')}
          />
        )}
        <Choice label="Time" value={range} options={RANGES} onChange={pick('range')} />
        {targets.length === 0 ? null : (
          <Select
            label="Convert into"
            value={target ?? ''}
            options={[
              { value: '', label: 'Each currency by itself' },
              ...targets.map((value) => ({ value, label: value })),
            ]}
            onChange={pick('in')}
          />
        )}
      </div>
      <p className={styles.quiet}>
        {MODE_MEANINGS[mode]}. Days are {zone.days}. Profit is realised, after fees and with cash such as funding; open
        positions are not in it.
      </p>
      {currency === undefined ? null : (
        <dl className={styles.totals}>
          <div>
            <dt>Net profit</dt>
            <dd>
              <Money of={curve.at(-1)?.total ?? '0'} currency={currency} signed display />
            </dd>
          </div>
          <div>
            <dt>Worst drawdown of profit</dt>
            <dd>
              <Money of={worst} currency={currency} signed display />
            </dd>
          </div>
          {equity
            .filter((one) => one.currency === currency)
            .map(({ amount }) => (
              <div key="equity">
                <dt title="The newest equity that bots reported, each account once">Equity</dt>
                <dd>
                  <Money of={amount} currency={currency} display />
                </dd>
              </div>
            ))}
        </dl>
      )}
      {target === null ? null : <Rates books={books} currency={target} nameOf={(id) => named(id).name} />}
      {unnamed ? (
        <p className={styles.note}>
          Some rows name no currency. They are in no sum here; the ledger of each bot shows them.
        </p>
      ) : null}
      {currency === undefined ? null : <Equity books={books} mode={mode} currency={currency} from={from} />}
      {currency === undefined || curve.length === 0 ? null : (
        <>
          <ValueCurve title="Profit and drawdown" curve={curve} currency={currency} isProfit timeText={(day) => day} />
          <Calendar days={daily} from={from} to={today} currency={currency} />
        </>
      )}
      <Section title="Open positions">
        {held.length === 0 ? <p className={styles.quiet}>Nothing is held now.</p> : <PositionsTable rows={held} />}
      </Section>
      <Breakdown mode={mode} asked={asked} books={books} nameOf={(id) => named(id).name} />
    </div>
  );
}

function NothingYet() {
  return (
    <Empty title="Nothing is booked yet">
      <p>
        Bots that write <code>fill</code> rows have their profit and positions here.
      </p>
      <p>
        <Link href="/">To the fleet</Link>
      </p>
    </Empty>
  );
}
