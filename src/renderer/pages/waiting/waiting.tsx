import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { ApprovalDifference, ListedApproval } from '../../../contract/approvals.ts';
import { differenceText, waitsToBeArmed } from '../../../shared/approval-words.ts';
import { Button } from '../../components/button.tsx';
import { DifferenceRows } from '../../components/config-differences.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Ago, Time } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useFleet } from '../../data/fleet.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useCall } from '../../data/use-call.ts';
import { Settle } from './settle.tsx';
import styles from './waiting.module.css';

/** What is being settled, and how. */
interface Settled {
  readonly one: ListedApproval;
  readonly differences: readonly ApprovalDifference[];
  readonly how: 'approve' | 'reject';
}

/** What waits for a person: changes that keys and assistants asked of armed bots, and bots that nobody has armed yet. */
export function Waiting() {
  const { who } = useHost();
  const { data, error: unread, reload } = useCall('approvals.list', {});
  const { bots, error: unreadBots } = useFleet();
  const error = unread ?? unreadBots;
  const [settled, setSettled] = useState<Settled | null>(null);
  const all = [...(bots?.values() ?? [])];
  const state = JSON.stringify(all.map(({ approval }) => [approval?.id, approval?.status]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `state` stands for what waits, which the fleet follows
  useEffect(() => {
    if (data !== null) reload();
  }, [state]);
  const toArm = all.filter(waitsToBeArmed);
  const mayApprove = who.scope === 'full';
  return (
    <div className={styles.place}>
      <h1>Waiting for you</h1>
      {error === null ? null : <ErrorNote error={error} />}
      {data === null || bots === null ? (
        error === null ? (
          <Skeleton rows={4} label="Loading what waits for you" />
        ) : null
      ) : data.items.length + toArm.length === 0 ? (
        <Empty title="Nothing waits for you">
          <p>What API keys and assistants ask of your armed bots stands here until you approve or reject it.</p>
        </Empty>
      ) : (
        data.items.map((one) => <Change key={one.id} one={one} onSettle={mayApprove ? setSettled : null} />)
      )}
      {toArm.length === 0 ? null : (
        <Section title="To be armed" about="They use live secrets, and do not start before you arm them on their page.">
          <ul className={styles.bots}>
            {toArm.map(({ bot_id, name, type, version }) => (
              <li key={bot_id}>
                <Link href={`/bots/${bot_id}`}>{name}</Link> <span className={styles.dim}>{`${type} ${version}`}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {settled === null ? null : <Settle {...settled} onClose={() => setSettled(null)} />}
    </div>
  );
}

/** One change, with everything that it would make different. */
function Change({
  one,
  onSettle,
}: {
  readonly one: ListedApproval;
  readonly onSettle: ((settled: Settled) => void) | null;
}) {
  const zone = usePreferences((chosen) => chosen.zone);
  const live = useFleet(({ bots }) => bots?.get(one.bot_id));
  const { id, bot_id, bot, asked_by, client, asked_at, expires_at, changes, problem, status } = one;
  const isOutdated = status === 'outdated';
  const read = useCall('approvals.get', isOutdated ? null : { bot_id });
  // One that has taken the place of this one belongs below the words of its own request.
  const differences = !isOutdated && read.data?.id === id ? read.data.differences : null;
  return (
    <Section
      title={bot}
      about={
        <>
          {asked_by}
          {client === null ? null : ` (${client})`} asked for this <Ago at={asked_at} />. The bot goes on as it is.
        </>
      }
      action={
        <span className={styles.actions}>
          {live === undefined ? null : <LiveBadge bot={live} />} <Link href={`/bots/${bot_id}`}>To the bot</Link>
        </span>
      }
    >
      {read.error === null ? null : <ErrorNote error={read.error} />}
      {differences === null && !isOutdated ? (
        read.error === null ? (
          <Skeleton rows={2} label="Loading what would differ" />
        ) : null
      ) : differences === null || differences.length === 0 ? (
        <ul className={styles.bots}>
          {changes.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      ) : (
        <DifferenceRows rows={differences.map(differenceText)} />
      )}
      {problem === null ? (
        <p className={styles.dim}>
          The host drops it on <Time at={expires_at} zone={zone} />, unless you approve it before.
        </p>
      ) : (
        <p className={styles.problem} role="note">
          It cannot be made now: {problem}.
        </p>
      )}
      {onSettle === null ? null : (
        <div className={styles.actions}>
          {isOutdated ? null : (
            <Button
              kind="primary"
              disabled={problem !== null || differences === null}
              onClick={() => onSettle({ one, differences: differences ?? [], how: 'approve' })}
            >
              Approve…
            </Button>
          )}
          <Button onClick={() => onSettle({ one, differences: [], how: 'reject' })}>Reject…</Button>
        </div>
      )}
    </Section>
  );
}
