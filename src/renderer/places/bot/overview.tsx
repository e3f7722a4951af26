import { useCall } from '../../data/use-call.ts';
import { useOnChange, useReadEvery } from '../../data/use-every.ts';
import type { TabProps } from './bot-page.tsx';
import { FailureCard } from './failure-card.tsx';
import { LatestTiles } from './latest-tiles.tsx';
import { NewestLines } from './newest-lines.tsx';
import { Now } from './now.tsx';
import styles from './overview.module.css';
import { OverviewChart } from './overview-chart.tsx';

const METRICS_MS = 5000;

/** What matters about a bot now: what is wrong comes first. */
export function Overview({ bot }: TabProps) {
  const input = { bot_id: bot.bot_id };
  const diagnosis = useCall('bots.diagnosis', input);
  const metrics = useCall('metrics.get', input);
  const state = `${bot.status} ${bot.run_id ?? ''} ${bot.last_run?.run_id ?? ''} ${bot.last_run?.status ?? ''} ${bot.version}`;
  useOnChange(state, () => {
    diagnosis.reload();
    metrics.reload();
  });
  useReadEvery(METRICS_MS, metrics, bot.run_id !== null);
  const failure = diagnosis.data?.failure ?? null;
  return (
    <div className={styles.overview}>
      {failure === null ? null : <FailureCard bot={bot} failure={failure} />}
      <Now bot={bot} />
      <OverviewChart bot={bot} />
      <LatestTiles metrics={metrics} />
      <NewestLines bot={bot} />
    </div>
  );
}
