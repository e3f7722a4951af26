import { useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../../../components/button.tsx';
import type { Domain } from '../../../components/charts/chart-elements.ts';
import { CursorLink } from '../../../components/charts/cursor-link.ts';
import { Empty } from '../../../components/empty.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { fileName, saveFile } from '../../../components/save-file.ts';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useNow } from '../../../components/time.tsx';
import { type ChartGroup, keepGroups } from '../../../data/metrics/chart-groups.ts';
import { pinnedFirst, usePinned } from '../../../data/metrics/pinned-charts.ts';
import { seriesKey } from '../../../data/metrics/series.ts';
import { domainOf } from '../../../data/metrics/time-window.ts';
import { useLedgerTrades } from '../../../data/metrics/use-ledger-trades.ts';
import { useMetrics, useMetricsState } from '../../../data/metrics/use-metrics.ts';
import { usePreferences } from '../../../data/preferences.ts';
import { toastFailed } from '../../../data/toasts.ts';
import type { TabProps } from '../tab-props.ts';
import { linesOf, seenIn } from './chart-data.ts';
import { Charts } from './charts.tsx';
import { toCsv } from './csv.ts';
import styles from './metrics.module.css';
import { OtherTypes } from './non-numeric-metrics.tsx';
import { PRESETS, readRange, withoutStretch, withPreset, withStretch } from './range.ts';
import { SignalList } from './signal-list.tsx';
import { TableView } from './table-view.tsx';
import { Tiles } from './tiles.tsx';
import { Toolbar, type View } from './toolbar.tsx';

/** Charts that are shown, and read, at first. */
const FIRST_CHARTS = 12;

/** A bot's metrics: newest values, charts over any time, signals; as charts or as tables. */
export function Metrics({ bot }: TabProps) {
  const [params, setParams] = useSearchParams();
  const { preset, window } = readRange(params);
  const zone = usePreferences((one) => one.zone);
  const store = useMetrics(bot.bot_id, window);
  const state = useMetricsState(store);
  const traded = useLedgerTrades(bot.bot_id);
  const [view, setView] = useState<View>('charts');
  const [most, setMost] = useState(FIRST_CHARTS);
  const [active, setActive] = useState<number | null>(null);
  const [link] = useState(() => new CursorLink());
  const now = useNow();

  const windowKey = JSON.stringify(window);
  const latest = useRef(window);
  latest.current = window;
  const first = useRef(windowKey);
  useEffect(() => {
    if (first.current === windowKey) return;
    first.current = windowKey;
    store.look(latest.current);
  }, [store, windowKey]);

  const kept = useRef<readonly ChartGroup[]>([]);
  const { overview } = state;
  const groups = useMemo(() => {
    kept.current = keepGroups(kept.current, overview?.series ?? []);
    return kept.current;
  }, [overview]);
  const pinned = usePinned(bot.bot_id);
  const shown = useMemo(() => pinnedFirst(groups, pinned).slice(0, most), [groups, pinned, most]);
  useEffect(() => store.want(shown.flatMap((group) => group.series)), [store, shown]);

  const seen = useMemo(() => seenIn(state.points.values()), [state.points]);
  const { from, to } = domainOf(window, seen, now);
  const domain = useMemo(() => ({ from, to }), [from, to]);
  const zoom = (stretch: Domain): void => setParams((before) => withStretch(before, stretch), { replace: true });
  const show = (at: number): void => {
    const span = (to - from) / 8;
    const end = Math.min(to, at + span / 2);
    zoom({ from: end - span, to: end });
  };
  const reset = (): void => setParams(withoutStretch, { replace: true });

  if (overview === null) return state.error === null ? <Skeleton rows={6} /> : <ErrorNote error={state.error} />;
  if (overview.types.length === 0) return <NoMetrics />;
  const series = groups.flatMap((group) => group.series);
  const latestOf = new Map(overview.series.map((one) => [seriesKey(one), one]));
  const signals = state.signals.filter(({ t }) => t >= from && t <= to);
  const saveCsv = async (group: ChartGroup): Promise<void> => {
    const points = await Promise.all(group.series.map((one) => store.finest(one)));
    const lines = linesOf(group, state).map((line, index) => ({
      ...line,
      points: points[index] ?? line.points,
    }));
    saveFile(`${fileName(bot.name, group.title)}.csv`, new Blob([toCsv(lines)], { type: 'text/csv' }));
  };
  return (
    <div className={styles.metrics}>
      <Toolbar
        preset={preset?.id ?? null}
        stretch={window.kind === 'fixed' ? window : null}
        domain={domain}
        zone={zone}
        view={view}
        onPreset={(id) => setParams((before) => withPreset(before, id), { replace: true })}
        onReset={reset}
        onStretch={zoom}
        onView={setView}
      />
      {state.error === null ? null : <ErrorNote error={state.error} />}
      {series.length === 0 ? null : (
        <Tiles
          series={series.map((one) => latestOf.get(seriesKey(one)) ?? one)}
          points={state.points}
          domain={domain}
        />
      )}
      {seen === null && !state.loading && series.length > 0 ? (
        <NothingThen
          words={preset?.words ?? 'this time'}
          onAll={() => setParams((before) => withPreset(before, 'all'))}
        />
      ) : view === 'charts' ? (
        <Charts
          bot={bot}
          groups={shown}
          state={state}
          traded={traded}
          domain={domain}
          zone={zone}
          link={link}
          active={active}
          pinned={pinned}
          onBrush={zoom}
          onReset={reset}
          onCsv={(group) =>
            void saveCsv(group).catch((thrown: unknown) => toastFailed(`${group.title} was not saved`, thrown))
          }
        />
      ) : (
        shown.map((group) => (
          <TableView key={group.id} title={group.title} lines={linesOf(group, state)} domain={domain} zone={zone} />
        ))
      )}
      {groups.length > most ? (
        <Button onClick={() => setMost(most + FIRST_CHARTS)}>{`${groups.length - most} more charts`}</Button>
      ) : null}
      <SignalList signals={signals} cut={state.signalsCut} zone={zone} link={link} onActive={setActive} onShow={show} />
      <OtherTypes overview={overview} zone={zone} />
    </div>
  );
}

function NothingThen({ words, onAll }: { readonly words: string; readonly onAll: () => void }) {
  return (
    <Empty title={`No samples in ${words}`}>
      <Button onClick={onAll}>Show {PRESETS.at(-1)?.words}</Button>
    </Empty>
  );
}

const EXAMPLE = "metric('price', { symbol: 'AAPL', value: 178.42 })";

function NoMetrics() {
  return (
    <Empty title="This bot has not measured anything yet">
      <p>
        A chart appears here with the first number that it emits, for example <code>{EXAMPLE}</code>.
      </p>
    </Empty>
  );
}
