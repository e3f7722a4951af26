import { useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import { Chart } from '../../components/charts/chart.tsx';
import { CursorLink } from '../../components/charts/cursor-link.ts';
import { Choice } from '../../components/choice.tsx';
import { useNow } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { type ChartGroup, keepGroups } from '../../data/metrics/chart-groups.ts';
import type { MetricsStore } from '../../data/metrics/metrics-store.ts';
import { domainOf, type TimeWindow } from '../../data/metrics/time-window.ts';
import { useLedgerTrades } from '../../data/metrics/use-ledger-trades.ts';
import { useMetricsState } from '../../data/metrics/use-metrics.ts';
import { usePreferences } from '../../data/preferences.ts';
import { linesOf, markersOf, ruleOf, rulesIn, seenIn, tradedIn } from './metrics/chart-data.ts';
import styles from './overview-chart.module.css';
import { TellMeDialog } from './tell-me.tsx';

interface OverviewChartProps {
  readonly bot: Bot;
  readonly store: MetricsStore;
  /** Height of the plot, in pixels. */
  readonly height?: number;
}

const EVER: TimeWindow = { kind: 'last', span: null };
const NONE: readonly number[] = [];
/** Charts to choose from beside each other; the Metrics tab has all. */
const MOST_CHOICES = 8;

/**
 * The one chart of the overview, live: at first the price of a bot with BUY and SELL, else its first series. Another symbol or
 * series can be chosen. Nothing for a bot without data. The Metrics tab has all charts (metrics/charts.tsx).
 */
export function OverviewChart({ bot, store, height = 200 }: OverviewChartProps) {
  const { who } = useHost();
  const [isTelling, setTelling] = useState(false);
  const zone = usePreferences((one) => one.zone);
  const state = useMetricsState(store);
  const traded = useLedgerTrades(bot.bot_id);
  const [link] = useState(() => new CursorLink());
  const now = useNow();
  const groups = useGroups(state.overview?.series ?? null);
  const [chosen, setChosen] = useState<string | null>(null);
  const group = groups.find(({ id }) => id === chosen) ?? groups[0] ?? null;
  useEffect(() => store.want(group?.series ?? []), [store, group]);
  const { points, grains, signals, runs, window } = state;
  const seen = useMemo(() => seenIn(points.values()), [points]);
  // A bot that was quiet for an hour shows its older data.
  const quiet = !state.loading && points.size > 0 && seen === null && window.kind === 'last' && window.span !== null;
  useEffect(() => {
    if (quiet) store.look(EVER);
  }, [store, quiet]);
  const { from, to } = domainOf(window, seen, now);
  const domain = useMemo(() => ({ from, to }), [from, to]);
  const lines = useMemo(() => (group === null ? [] : linesOf(group, { points, grains })), [group, points, grains]);
  const markers = useMemo(() => (group === null ? [] : markersOf(group, signals, points)), [group, signals, points]);
  const starts = rulesIn(runs, from, to).join();
  const rules = useMemo(() => (starts === '' ? NONE : starts.split(',').map(Number)), [starts]);
  if (group === null) return null;
  const held = tradedIn(group, traded);
  return (
    <section className={styles.live} aria-label="Newest metrics">
      {groups.length < 2 ? null : (
        <Choice
          label="Chart"
          value={group.id}
          options={groups.slice(0, MOST_CHOICES).map(({ id, title }) => ({ value: id, label: title }))}
          onChange={setChosen}
        />
      )}
      <Chart
        title={group.title}
        lines={lines}
        markers={markers}
        shades={held?.holdings}
        dots={held?.fills}
        tradedFrom={held?.since}
        rules={rules}
        breaks={bot.type.startsWith('realtime/') ? rules : NONE}
        domain={domain}
        height={height}
        zone={zone}
        link={link}
        isPrice={group.isPrice}
        loading={state.loading || seen === null}
        onTell={who.scope === 'full' ? () => setTelling(true) : undefined}
      />
      <TellMeDialog start={ruleOf(bot, group)} open={isTelling} onClose={() => setTelling(false)} />
      <p className={styles.more}>
        <Link href={`/bots/${bot.bot_id}/metrics`}>All metrics</Link>
      </p>
    </section>
  );
}

type Series = Parameters<typeof keepGroups>[1];

/** The charts of a bot. They stay the same while their values move; further series join. */
function useGroups(series: Series | null): readonly ChartGroup[] {
  const [groups, setGroups] = useState<readonly ChartGroup[]>([]);
  const next = series === null ? groups : keepGroups(groups, series);
  if (next !== groups) setGroups(next);
  return next;
}
