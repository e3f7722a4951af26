import { Suspense } from 'react';
import { lazyPart } from '../../components/lazy-part.ts';
import type { TimeWindow } from '../../data/metrics/time-window.ts';
import { useMetrics, useMetricsState } from '../../data/metrics/use-metrics.ts';
import { useCall } from '../../data/use-call.ts';
import { useOnChange, useReadEvery } from '../../data/use-every-while-visible.ts';
import { BotMoney } from './bot-money.tsx';
import { CurrentActivity } from './current-activity.tsx';
import { FailureCard } from './failure-card.tsx';
import { FirstMinute } from './first-minute.tsx';
import { LastRuns } from './last-runs.tsx';
import { LatestTiles } from './latest-tiles.tsx';
import { NewestLines } from './newest-lines.tsx';
import styles from './overview.module.css';
import type { TabProps } from './tab-props.ts';

const OverviewChart = lazyPart(async () => (await import('./overview-chart.tsx')).OverviewChart);

const FAILURE_MS = 3000;
const LAST_HOUR: TimeWindow = { kind: 'last', span: 3_600_000 };

/** Whether a bot does its job: problems first, then its newest result or its chart, what it earned and did. */
export function Overview({ bot }: TabProps) {
  const input = { bot_id: bot.bot_id };
  const diagnosis = useCall('bots.diagnosis', input);
  const store = useMetrics(bot.bot_id, LAST_HOUR);
  const metrics = useMetricsState(store);
  const state = `${bot.status} ${bot.run_id ?? ''} ${bot.last_run?.run_id ?? ''} ${bot.last_run?.status ?? ''} ${bot.version}`;
  useOnChange(state, diagnosis.reload);
  const failure = diagnosis.data?.failure ?? null;
  // A bot that recovers may report that a moment after its state has changed.
  useReadEvery(FAILURE_MS, diagnosis, failure !== null);
  return (
    <div className={styles.overview}>
      {failure === null ? null : <FailureCard bot={bot} failure={failure} />}
      {bot.type.startsWith('scheduled/') ? <LastRuns bot={bot} /> : null}
      <Suspense fallback={null}>
        <OverviewChart bot={bot} store={store} />
      </Suspense>
      <FirstMinute bot={bot} overview={metrics.overview} />
      <BotMoney bot={bot} />
      <LatestTiles overview={metrics.overview} error={metrics.error} />
      <NewestLines bot={bot} />
      <CurrentActivity bot={bot} />
    </div>
  );
}
