import { useState } from 'react';
import { Link } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Empty } from '../../components/empty.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { BotState } from '../../components/status.tsx';
import frame from '../../components/table.module.css';
import { moveWord } from '../../components/version-move.ts';
import { useHost } from '../../data/connection-and-user.ts';
import { useFleet } from '../../data/fleet.ts';
import { toHostError } from '../../data/host-error.ts';
import { botsOf, countOf } from './bots-of-custom-bot.ts';
import styles from './custom-bot.module.css';
import table from './custom-bots.module.css';
import type { CustomBotTab } from './tab-props.ts';

type Outcome = 'going' | 'done' | { readonly failed: string };

/** Bots of a custom bot with their versions, and their change to another version. */
export function Bots({ summary, reload }: CustomBotTab) {
  const { socket, who } = useHost();
  const fleet = useFleet((one) => one.bots);
  const [wanted, setWanted] = useState(summary.latest_version);
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const [asks, setAsks] = useState(false);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  if (fleet === null) return <Skeleton />;
  const bots = botsOf(fleet.values(), summary.name);
  if (bots.length === 0) {
    return (
      <Empty title="No bot runs it">
        <Link href={`/deploy?custom_bot=${summary.name}`}>Deploy one</Link>
      </Empty>
    );
  }
  const isChosen = (bot: Bot): boolean => chosen === null || chosen.has(bot.bot_id);
  const moved = bots.filter((bot) => isChosen(bot) && bot.version !== wanted);
  const label = moveWord(summary.versions, wanted, moved);
  const restarts = moved.filter((bot) => bot.status === 'running').length;
  const toggle = (bot: Bot): void => {
    const next = new Set(bots.filter(isChosen).map((one) => one.bot_id));
    if (!next.delete(bot.bot_id)) next.add(bot.bot_id);
    setChosen(next);
  };
  const tell = (botId: string, outcome: Outcome): void => setOutcomes((before) => new Map(before).set(botId, outcome));
  const busy = [...outcomes.values()].includes('going');
  const move = async (): Promise<void> => {
    setAsks(false);
    setOutcomes(new Map());
    // One after the other: a failure of the first ones is seen before all have the version.
    for (const { bot_id } of moved) {
      tell(bot_id, 'going');
      await socket.call('bots.update', { bot_id, version: wanted }).then(
        () => tell(bot_id, 'done'),
        (thrown) => tell(bot_id, { failed: toHostError(thrown).message }),
      );
    }
    reload();
  };
  return (
    <div className={styles.stack}>
      {who.scope === 'read' ? null : (
        <div className={styles.bar}>
          <label className={styles.inline}>
            Bring to version
            <select
              className={styles.select}
              value={wanted}
              disabled={busy}
              onChange={({ target }) => setWanted(target.value)}
            >
              {summary.versions.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <Button kind="primary" disabled={moved.length === 0} busy={busy} onClick={() => setAsks(true)}>
            {moved.length === 0 ? 'All have it' : `${label} ${countOf(moved.length)}`}
          </Button>
        </div>
      )}
      <div className={frame.scroll}>
        <table className={`${frame.table} ${table.rows}`}>
          <thead>
            <tr>
              <th>
                <span className="visually-hidden">Chosen</span>
              </th>
              <th>Name</th>
              <th>Status</th>
              <th>Version</th>
              <th>Result</th>
            </tr>
          </thead>
          <tbody>
            {bots.map((bot) => (
              <tr key={bot.bot_id}>
                <td className={styles.tick}>
                  <input
                    type="checkbox"
                    aria-label={`Choose ${bot.name}`}
                    checked={isChosen(bot)}
                    disabled={busy}
                    onChange={() => toggle(bot)}
                  />
                </td>
                <td>
                  <Link className={table.name} href={`/bots/${bot.bot_id}`}>
                    {bot.name}
                  </Link>{' '}
                  <LiveBadge bot={bot} />
                </td>
                <td>
                  <BotState bot={bot} />
                </td>
                <td className="mono">{bot.version}</td>
                <td className={styles.result}>
                  <Result of={outcomes.get(bot.bot_id)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {asks ? (
        <Confirm
          open={true}
          title={`${label} ${countOf(moved.length)} to ${wanted}?`}
          danger={false}
          label={`${label} ${countOf(moved.length)}`}
          onConfirm={() => void move()}
          onCancel={() => setAsks(false)}
        >
          <p>
            {restarts === 0
              ? 'None of them runs now; the version takes effect at their next start.'
              : `${countOf(restarts)} that run${restarts === 1 ? 's' : ''} now restart${restarts === 1 ? 's' : ''} once.`}{' '}
            Config and state stay. The old version stays published, so you can go back.
          </p>
          <ul className={styles.names}>
            {moved.map((bot) => (
              <li key={bot.bot_id}>
                {bot.name} <span className="mono">{bot.version}</span>
              </li>
            ))}
          </ul>
        </Confirm>
      ) : null}
    </div>
  );
}

function Result({ of }: { readonly of: Outcome | undefined }) {
  if (of === undefined) return null;
  if (of === 'going') return 'Changing…';
  if (of === 'done') return 'Changed';
  return <span className={styles.problem}>{of.failed}</span>;
}
