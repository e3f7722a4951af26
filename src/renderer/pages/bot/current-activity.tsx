import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import { formatBytes, formatDuration } from '../../../shared/format-quantity.ts';
import { Since, Time } from '../../components/time.tsx';
import { usePreferences } from '../../data/preferences.ts';
import { formatCpu, type Usage, usageOf } from '../../data/usage.ts';
import { useCall } from '../../data/use-call.ts';
import { useOnChange, useReadEvery } from '../../data/use-every-while-visible.ts';
import { EngineWords } from './engine-words.tsx';
import styles from './overview.module.css';
import type { TabProps } from './tab-props.ts';

const USAGE_MS = 3000;
/** Only two looks tell how busy it is: the second comes soon. */
const FIRST_MS = 1000;

/** A bot's present activity, its resources and its engine, in one quiet line. */
export function CurrentActivity({ bot }: TabProps) {
  return (
    <section aria-label="Now" className={styles.now}>
      <ActivityFacts bot={bot} />
      <div className={styles.engine}>
        <EngineWords name={bot.engine} level={bot.run_id === null ? undefined : bot.isolation} />
      </div>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Clock({ at }: { readonly at: string }) {
  const zone = usePreferences((one) => one.zone);
  return <Time at={at} zone={zone} />;
}

/** Reads a bot's resources while any program of it runs. */
function useUsage(bot: Bot): Usage | null {
  const runs = bot.run_id !== null;
  const stats = useCall('bots.stats', runs ? { bot_id: bot.bot_id } : null);
  const [usage, setUsage] = useState<Usage | null>(null);
  const last = useRef<Usage | null>(null);
  useEffect(() => {
    if (stats.data === null || stats.data.at === (last.current && new Date(last.current.at).toISOString())) return;
    last.current = usageOf(stats.data, last.current);
    setUsage(last.current);
  }, [stats.data]);
  useReadEvery(usage?.cpu == null ? FIRST_MS : USAGE_MS, stats, runs);
  useOnChange(bot.run_id ?? '', stats.reload);
  return runs ? usage : null;
}

function ActivityFacts({ bot }: TabProps) {
  const usage = useUsage(bot);
  const isScheduled = bot.type.startsWith('scheduled/');
  const network = usage?.network ?? null;
  const limit = bot.options.memory_mb;
  return (
    <dl className={styles.line} aria-label={`What ${bot.name} does and uses`}>
      {isScheduled ? <NextRun bot={bot} /> : <Uptime bot={bot} />}
      {isScheduled ? <LastRun bot={bot} /> : <Fact name="Restarts">{bot.restarts}</Fact>}
      {usage?.cpu == null ? null : <Fact name="CPU">{formatCpu(usage.cpu)}</Fact>}
      {usage === null ? null : (
        <Fact name="Memory">
          {formatBytes(usage.memory)}
          {limit === undefined ? '' : ` of ${formatBytes(limit * 1024 * 1024)}`}
        </Fact>
      )}
      {usage === null ? null : <Fact name="Processes">{usage.processes}</Fact>}
      {network === null ? null : (
        <Fact name="Network">
          {formatBytes(network.received)} received, {formatBytes(network.sent)} sent
        </Fact>
      )}
      <Fact name="Deployed">
        <Clock at={bot.created_at} />
      </Fact>
      {bot.updated_at === bot.created_at ? null : (
        <Fact name="Changed">
          <Clock at={bot.updated_at} />
        </Fact>
      )}
    </dl>
  );
}

function Uptime({ bot }: TabProps) {
  if (bot.started_at === null || bot.status !== 'running') return null;
  return (
    <Fact name="Up">
      <Since at={bot.started_at} />
    </Fact>
  );
}

function NextRun({ bot }: TabProps) {
  if (bot.status === 'running' && bot.started_at !== null) {
    return (
      <Fact name="Running for">
        <Since at={bot.started_at} />
      </Fact>
    );
  }
  if (bot.next_run_at === null) return null;
  return (
    <Fact name="Next run">
      in <Since at={bot.next_run_at} />
    </Fact>
  );
}

function LastRun({ bot }: TabProps) {
  const last = bot.last_run;
  if (last === null || last.ended_at === null) return null;
  const took = last.started_at === null ? null : Date.parse(last.ended_at) - Date.parse(last.started_at);
  return (
    <Fact name="Last run">
      <Since at={last.ended_at} /> ago{took === null ? '' : `, took ${formatDuration(took)}`}
    </Fact>
  );
}
