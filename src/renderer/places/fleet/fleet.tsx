import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { Bot, BotStatus } from '../../../contract/bot.ts';
import { useFleet } from '../../data/fleet.ts';
import { Empty } from '../../parts/empty.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Status } from '../../parts/status.tsx';
import { Since } from '../../parts/time.tsx';
import styles from './fleet.module.css';
import { SmallMetric } from './small-metric.tsx';

interface Filter {
  readonly word: string;
  readonly has: (status: BotStatus) => boolean;
}

const FILTERS: readonly Filter[] = [
  { word: 'All', has: () => true },
  { word: 'Running', has: (status) => status === 'running' || status === 'starting' || status === 'stopping' },
  { word: 'Failed', has: (status) => status === 'failed' || status === 'backing_off' },
  { word: 'Scheduled', has: (status) => status === 'scheduled' },
  { word: 'Stopped', has: (status) => status === 'stopped' },
];

/** What is going on with a bot, in a few words. */
function Doing({ bot }: { readonly bot: Bot }) {
  if (bot.reason !== null && bot.status !== 'running')
    return <span title={bot.reason.message}>{bot.reason.message}</span>;
  if (bot.status === 'running' && bot.started_at !== null) {
    return (
      <>
        up <Since at={bot.started_at} />
      </>
    );
  }
  if (bot.next_run_at !== null) {
    return (
      <>
        next in <Since at={bot.next_run_at} />
      </>
    );
  }
  return null;
}

function matches(bot: Bot, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  const about = `${bot.name} ${bot.type} ${bot.version} ${bot.bot_id}`.toLowerCase();
  return words.every((word) => about.includes(word));
}

/** The home of the dashboard: every bot as one row of a table. */
export function Fleet() {
  const { bots, error } = useFleet();
  const [filter, setFilter] = useState('All');
  const [text, setText] = useState('');
  const all = useMemo(() => [...(bots?.values() ?? [])].sort((a, b) => a.name.localeCompare(b.name)), [bots]);
  if (error !== null && bots === null) return <ErrorNote error={error} />;
  if (bots === null) return null;
  const chosen = FILTERS.find((one) => one.word === filter) ?? FILTERS[0];
  const shown = all.filter((bot) => chosen?.has(bot.status) === true && matches(bot, text));
  return (
    <>
      <header className={styles.head}>
        <h1>Fleet</h1>
        <fieldset className={styles.filters} aria-label="Show">
          {FILTERS.map(({ word, has }) => (
            <button
              key={word}
              type="button"
              className={styles.chip}
              aria-pressed={word === filter}
              onClick={() => setFilter(word)}
            >
              {word} <span className={styles.count}>{all.filter((bot) => has(bot.status)).length}</span>
            </button>
          ))}
        </fieldset>
        <input
          className={styles.search}
          type="search"
          placeholder="Search bots"
          aria-label="Search bots"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </header>
      {all.length === 0 ? (
        <Empty title="No bots yet">
          <p>
            <code>npx platform demo</code> shows one at work; <code>npx platform init my-bot</code> starts one of your
            own.
          </p>
        </Empty>
      ) : (
        <Table bots={shown} />
      )}
    </>
  );
}

function Table({ bots }: { readonly bots: readonly Bot[] }) {
  if (bots.length === 0) return <Empty title="No bot is like that" />;
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th>Status</th>
            <th>Name</th>
            <th>Custom bot</th>
            <th>Now</th>
            <th>Metric</th>
            <th>Last run</th>
            <th className={styles.number}>Restarts</th>
            <th>Engine</th>
          </tr>
        </thead>
        <tbody>
          {bots.map((bot) => (
            <Row key={bot.bot_id} bot={bot} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ bot }: { readonly bot: Bot }) {
  const [, go] = useLocation();
  const path = `/bots/${bot.bot_id}`;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link in the row is what a keyboard reaches
    <tr className={styles.row} onClick={() => go(path)}>
      <td>
        <Status of={bot.status} />
      </td>
      <td>
        <a className={styles.name} href={path} onClick={(event) => event.preventDefault()}>
          {bot.name}
        </a>
      </td>
      <td className={styles.dim}>
        {bot.type.split('/')[1]} <span className="mono">{bot.version}</span>
      </td>
      <td className={styles.doing}>
        <Doing bot={bot} />
      </td>
      <td>
        <SmallMetric botId={bot.bot_id} />
      </td>
      <td>{bot.last_run === null ? null : <Status of={bot.last_run.status} />}</td>
      <td className={styles.number}>{bot.restarts}</td>
      <td className={styles.dim}>{bot.engine}</td>
    </tr>
  );
}
