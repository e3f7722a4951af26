import { Rocket } from 'lucide-react';
import { Suspense, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useFleet } from '../../data/fleet.ts';
import { useSignalsToday, useToday } from '../../data/ledger/today.ts';
import { choose, usePreferences } from '../../data/preferences.ts';
import { BulkBar } from './bulk-bar.tsx';
import styles from './fleet.module.css';
import { FILTERS, fleetRows, isInNeed } from './fleet-rows.ts';
import { FleetStrip } from './fleet-strip.tsx';
import { FleetTable } from './fleet-table.tsx';
import { keep, NOTHING, type Selection } from './selection.ts';
import { useShownBot } from './shown-bot.ts';
import { useBulk } from './use-bulk.ts';
import { ViewMenu } from './view-menu.tsx';

const BotPanel = lazyPart(async () => (await import('./bot-panel.tsx')).BotPanel);

/** The home of the dashboard: every bot as one row of a table. */
export function Fleet() {
  const { bots, error } = useFleet();
  const { who } = useHost();
  const [search, setSearch] = useSearchParams();
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const { fleet_filter, fleet_sort: by, fleet_descending: descending } = usePreferences();
  // A filter in the address is deliberate, but not a choice to remember.
  const filter = search.get('show') ?? fleet_filter;
  const text = search.get('find') ?? '';
  const rows = useMemo(
    () => fleetRows(bots?.values() ?? [], filter, text, { by, descending }),
    [bots, filter, text, by, descending],
  );
  const chosen = useMemo(
    () =>
      keep(
        selection,
        rows.map((bot) => bot.bot_id),
      ),
    [selection, rows],
  );
  const bulk = useBulk();
  const panel = useShownBot(bots);
  // Rows come first: keys that are held down pass by panels that are never drawn.
  const shownId = useDeferredValue(panel?.id ?? null);
  const shown = panel?.id == null ? null : (bots?.get(shownId ?? panel.id) ?? null);
  const body = useRef<HTMLDivElement>(null);
  const today = useToday();
  const signals = useSignalsToday();
  const ledgers = useMemo(() => new Map(today?.map((ledger) => [ledger.bot_id, ledger])), [today]);
  const select = (next: Selection): void => {
    setSelection(next);
    // Another selection shows that the user saw the success; failures stay until dismissed.
    if (bulk.outcome?.failed.length === 0) bulk.clear();
  };
  const narrow = useCallback(
    (name: 'show' | 'find', value: string): void =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (value === '') next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    [setSearch],
  );
  if (error !== null && bots === null) return <ErrorNote error={error} />;
  if (bots === null) return <Skeleton rows={6} label="Loading the fleet" />;
  return (
    <div className={`${styles.place} ${shown === null ? '' : styles.beside}`}>
      <header className={styles.title}>
        <h1>Fleet</h1>
        {who.scope === 'read' ? null : (
          <Link className={styles.deploy} href="/deploy">
            <Rocket aria-hidden="true" />
            Deploy
          </Link>
        )}
      </header>
      <FleetStrip
        need={[...bots.values()].filter(isInNeed).length}
        today={today}
        signals={signals}
        onNeed={() => {
          choose({ fleet_filter: 'failed' });
          narrow('show', '');
        }}
      />
      <div className={styles.head}>
        <fieldset className={styles.filters} aria-label="Show">
          {FILTERS.map(({ id, label, has }) => (
            <button
              key={id}
              type="button"
              className={styles.chip}
              aria-pressed={id === filter}
              onClick={() => {
                choose({ fleet_filter: id });
                narrow('show', '');
              }}
            >
              {label} <span className={styles.count}>{[...bots.values()].filter(has).length}</span>
            </button>
          ))}
        </fieldset>
        <input
          className={styles.search}
          type="search"
          placeholder="Search bots"
          aria-label="Search bots"
          value={text}
          onChange={(event) => narrow('find', event.target.value)}
        />
        <ViewMenu />
      </div>
      {chosen.ids.size > 0 || bulk.busy !== null || bulk.outcome !== null ? (
        <BulkBar
          bots={rows.filter((bot) => chosen.ids.has(bot.bot_id))}
          bulk={bulk}
          onClear={() => {
            setSelection(NOTHING);
            bulk.clear();
          }}
        />
      ) : null}
      <div ref={body} className={styles.body}>
        {bots.size === 0 ? (
          <Empty title="No bots yet">
            <p>
              <code>npx platform demo</code> shows one at work; <code>npx platform init my-bot</code> starts one of your
              own.
            </p>
          </Empty>
        ) : rows.length === 0 ? (
          <Empty title={text === '' ? 'No bot is in this state' : `No bot has a name like “${text}”`} />
        ) : (
          <FleetTable
            bots={rows}
            ledgers={ledgers}
            selection={chosen}
            onSelect={who.scope === 'read' ? null : select}
            panel={panel}
          />
        )}
        {shown === null ? null : (
          <Suspense fallback={null}>
            <BotPanel
              key={shown.bot_id}
              bot={shown}
              ledger={today === null ? null : ledgers.get(shown.bot_id)}
              onClose={() => {
                // The keyboard goes on from the row.
                body.current?.querySelector<HTMLElement>('[data-name][aria-current]')?.focus();
                panel?.show(null);
              }}
            />
          </Suspense>
        )}
      </div>
    </div>
  );
}
