import { useMemo, useRef, useState } from 'react';
import type { Bot } from '../../../../contract/bot.ts';
import { Button } from '../../../components/button.tsx';
import { Chart } from '../../../components/charts/chart.tsx';
import type { Domain } from '../../../components/charts/chart-elements.ts';
import type { CursorLink } from '../../../components/charts/cursor-link.ts';
import type { Zone } from '../../../components/charts/time-labels.ts';
import { useHost } from '../../../data/connection-and-user.ts';
import type { ChartGroup } from '../../../data/metrics/chart-groups.ts';
import type { Traded } from '../../../data/metrics/holdings.ts';
import type { MetricsState } from '../../../data/metrics/metrics-store.ts';
import { layOver, useOverlay } from '../../../data/metrics/overlays.ts';
import { pinChart } from '../../../data/metrics/pinned-charts.ts';
import { seriesKey } from '../../../data/metrics/series.ts';
import { TellMeDialog } from '../tell-me.tsx';
import { linesOf, markersOf, motionOf, ruleOf, rulesIn, tradedIn } from './chart-data.ts';
import styles from './metrics.module.css';
import { OverlayDialog } from './overlay-dialog.tsx';
import { useOverlayLine } from './use-overlay-line.ts';

interface ChartsProps {
  readonly bot: Bot;
  readonly groups: readonly ChartGroup[];
  readonly state: MetricsState;
  /** What the bot traded and held, by symbol. */
  readonly traded: ReadonlyMap<string, Traded>;
  readonly domain: Domain;
  readonly zone: Zone;
  readonly link: CursorLink;
  readonly active: number | null;
  /** Ids of the charts that stay in sight. */
  readonly pinned: readonly string[];
  readonly onBrush: (domain: Domain) => void;
  readonly onReset: () => void;
  readonly onCsv: (group: ChartGroup) => void;
}

const NONE: readonly number[] = [];
const PRICE_HEIGHT = 300;
const HEIGHT = 190;

/** The charts of a bot. Those in which nothing moves are put away until asked for, unless they are pinned. */
export function Charts(props: ChartsProps) {
  const { groups, state, pinned } = props;
  const [all, setAll] = useState(false);
  const put = useRef(new Set<string>());
  const steady = groups.filter((group) => {
    const motion = motionOf(linesOf(group, state));
    if (motion === 'still') put.current.add(group.id);
    if (motion === 'moving') put.current.delete(group.id);
    // A stretch with a few samples only does not bring a chart back.
    return put.current.has(group.id) && !pinned.includes(group.id);
  });
  const shown = all ? groups : groups.filter((group) => !steady.includes(group));
  return (
    <>
      <div className={styles.charts}>
        {shown.map((group) => (
          <GroupChart key={group.id} group={group} {...props} />
        ))}
      </div>
      {steady.length === 0 ? null : (
        <p className={styles.steady}>
          <span>
            {all ? 'Shown although nothing moved: ' : 'Not drawn, because nothing moved: '}
            {steady.flatMap((group) => linesOf(group, state).map((line) => nameIn(group, line.label))).join(', ')}
          </span>
          <Button kind="quiet" onClick={() => setAll(!all)}>
            {all ? 'Put away' : 'Draw all'}
          </Button>
        </p>
      )}
    </>
  );
}

const nameIn = ({ title }: ChartGroup, label: string): string => (title.endsWith(label) ? title : `${title} ${label}`);

function GroupChart({
  group,
  bot,
  state,
  traded,
  domain,
  pinned,
  onCsv,
  ...rest
}: ChartsProps & { readonly group: ChartGroup }) {
  const { who } = useHost();
  const [isTelling, setTelling] = useState(false);
  const [isLaying, setLaying] = useState(false);
  const { points, grains, signals, runs } = state;
  const own = group.series.map((one) => points.get(seriesKey(one)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `own` are the points of these lines; those of others change all the time
  const ownLines = useMemo(() => linesOf(group, { points, grains }), [group, ...own]);
  const overlay = useOverlayLine(useOverlay(bot.bot_id, group.id), bot.bot_id, state.window);
  const lines = useMemo(() => (overlay === null ? ownLines : [...ownLines, overlay]), [ownLines, overlay]);
  const markers = useMemo(() => markersOf(group, signals, points), [group, signals, points]);
  const held = tradedIn(group, traded);
  const isPinned = pinned.includes(group.id);
  const isRealtime = bot.type.startsWith('realtime/');
  const { from, to } = domain;
  const starts = rulesIn(runs, from, to).join();
  const rules = useMemo(() => (starts === '' ? [] : starts.split(',').map(Number)), [starts]);
  return (
    <div className={group.isPrice ? styles.wide : undefined}>
      <Chart
        {...rest}
        title={group.title}
        lines={lines}
        markers={markers}
        shades={held?.holdings}
        dots={held?.fills}
        tradedFrom={held?.since}
        rules={rules}
        // A scheduled bot is away between its runs by nature: its line goes on.
        breaks={isRealtime ? rules : NONE}
        domain={domain}
        height={group.isPrice ? PRICE_HEIGHT : HEIGHT}
        loading={state.loading}
        isPrice={group.isPrice}
        isPinned={isPinned}
        onPin={() => pinChart(bot.bot_id, group.id, !isPinned)}
        onOverlay={() => (overlay === null ? setLaying(true) : layOver(bot.bot_id, group.id, null))}
        fileStem={bot.name}
        onCsv={() => onCsv(group)}
        onTell={who.scope === 'full' ? () => setTelling(true) : undefined}
      />
      <OverlayDialog
        bot={bot}
        group={group}
        open={isLaying}
        onPick={(picked) => {
          layOver(bot.bot_id, group.id, picked);
          setLaying(false);
        }}
        onClose={() => setLaying(false)}
      />
      <TellMeDialog start={ruleOf(bot, group)} open={isTelling} onClose={() => setTelling(false)} />
    </div>
  );
}
