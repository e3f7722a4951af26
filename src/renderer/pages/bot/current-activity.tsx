import { useEffect, useRef, useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import { formatBytes, formatDuration } from '../../../shared/format-quantity.ts';
import { Section } from '../../components/section.tsx';
import { Tile, Tiles } from '../../components/tile.tsx';
import { Since, Time } from '../../components/time.tsx';
import { usePreferences } from '../../data/preferences.ts';
import { formatCpu, type Usage, usageOf } from '../../data/usage.ts';
import { useCall } from '../../data/use-call.ts';
import { useOnChange, useReadEvery } from '../../data/use-every.ts';
import { EngineWords } from './engine-words.tsx';
import styles from './overview.module.css';
import type { TabProps } from './tab-props.ts';

const USAGE_MS = 3000;
/** Only two looks tell how busy it is: the second comes soon. */
const FIRST_MS = 1000;

/** A bot's present activity and its resources. */
export function Now({ bot }: TabProps) {
  return (
    <Section title="Now">
      <NowTiles bot={bot} />
      <dl className={styles.facts}>
        <dt>Engine</dt>
        <dd>
          <EngineWords name={bot.engine} />
        </dd>
        <dt>Deployed</dt>
        <dd>
          <Clock at={bot.created_at} />
        </dd>
        {bot.updated_at === bot.created_at ? null : (
          <>
            <dt>Changed</dt>
            <dd>
              <Clock at={bot.updated_at} />
            </dd>
          </>
        )}
      </dl>
    </Section>
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

function NowTiles({ bot }: TabProps) {
  const usage = useUsage(bot);
  const isScheduled = bot.type.startsWith('scheduled/');
  const network = usage?.network ?? null;
  return (
    <Tiles label={`What ${bot.name} does and uses`}>
      {isScheduled ? <NextRun bot={bot} /> : <Uptime bot={bot} />}
      {isScheduled ? <LastRun bot={bot} /> : <Tile name="Restarts">{bot.restarts}</Tile>}
      <Tile name="CPU" note={usage?.cpu == null ? undefined : 'of one core'}>
        {usage?.cpu == null ? <None /> : formatCpu(usage.cpu)}
      </Tile>
      <Tile name="Memory" note={limitNote(bot)}>
        {usage === null ? <None /> : formatBytes(usage.memory)}
      </Tile>
      <Tile name="Processes">{usage === null ? <None /> : usage.processes}</Tile>
      {network === null ? null : (
        <Tile name="Network" note={`${formatBytes(network.sent)} sent`}>
          {formatBytes(network.received)}
        </Tile>
      )}
    </Tiles>
  );
}

/** Nothing to measure: the bot does not run, or not for long enough. */
function None() {
  return <span className={styles.dim}>–</span>;
}

function limitNote(bot: Bot): string | undefined {
  const limit = bot.options.memory_mb;
  return limit === undefined ? undefined : `limit ${formatBytes(limit * 1024 * 1024)}`;
}

function Uptime({ bot }: TabProps) {
  if (bot.started_at === null || bot.status !== 'running') {
    return (
      <Tile name="Uptime">
        <None />
      </Tile>
    );
  }
  return (
    <Tile name="Uptime" note={<Clock at={bot.started_at} />}>
      <Since at={bot.started_at} />
    </Tile>
  );
}

function NextRun({ bot }: TabProps) {
  if (bot.status === 'running' && bot.started_at !== null) {
    return (
      <Tile name="Running for" note={<Clock at={bot.started_at} />}>
        <Since at={bot.started_at} />
      </Tile>
    );
  }
  if (bot.next_run_at === null) {
    return (
      <Tile name="Next run">
        <None />
      </Tile>
    );
  }
  return (
    <Tile name="Next run" note={<Clock at={bot.next_run_at} />}>
      in <Since at={bot.next_run_at} />
    </Tile>
  );
}

function LastRun({ bot }: TabProps) {
  const last = bot.last_run;
  if (last === null || last.ended_at === null) {
    return (
      <Tile name="Last run">
        <None />
      </Tile>
    );
  }
  const took = last.started_at === null ? null : Date.parse(last.ended_at) - Date.parse(last.started_at);
  return (
    <Tile name="Last run" note={took === null ? undefined : `took ${formatDuration(took)}`}>
      <Since at={last.ended_at} /> ago
    </Tile>
  );
}
