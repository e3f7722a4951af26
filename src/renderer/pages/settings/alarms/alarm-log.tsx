import { useEffect } from 'react';
import { Link } from 'wouter';
import type { Output } from '../../../../contract/operations.ts';
import { AlarmDeliveries } from '../../../components/alarm-deliveries.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Section } from '../../../components/section.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import table from '../../../components/table.module.css';
import { Table } from '../../../components/table.tsx';
import { Time } from '../../../components/time.tsx';
import { markAlarmsSeen } from '../../../data/alarm-bell.ts';
import { useHost } from '../../../data/connection-and-user.ts';
import { useFleet } from '../../../data/fleet.ts';
import { usePreferences } from '../../../data/preferences.ts';
import type { Called } from '../../../data/use-call.ts';
import styles from '../settings.module.css';

/** What happened, and who was told, when. Whoever looks at it has seen it. */
export function AlarmLogSection({ called: { data, error } }: { readonly called: Called<Output<'alarms.log'>> }) {
  const { socket } = useHost();
  const zone = usePreferences((one) => one.zone);
  const bots = useFleet((one) => one.bots);
  const newest = data?.items[0]?.seq ?? 0;
  const unseen = data?.unseen ?? 0;
  useEffect(() => {
    if (unseen > 0) markAlarmsSeen(socket, newest);
  }, [socket, newest, unseen]);
  return (
    <Section title="Log" about="What happened, and who was told, when.">
      {error === null ? null : <ErrorNote error={error} />}
      {data === null ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : data.items.length === 0 ? (
        <p className={styles.note}>Nothing has happened that a rule tells of.</p>
      ) : (
        <Table heads={['At', 'What', 'Told']}>
          {data.items.map((alarm) => (
            <tr key={alarm.alarm_id}>
              <td className={`${table.line} ${table.dim}`} data-head="At">
                <Time at={alarm.at} zone={zone} />
              </td>
              <td className={table.words} data-head="What">
                {alarm.bot_id !== null && bots?.has(alarm.bot_id) === true ? (
                  <Link href={`/bots/${alarm.bot_id}`}>{alarm.title}</Link>
                ) : (
                  alarm.title
                )}
                <div className={table.dim}>{alarm.text}</div>
              </td>
              <td className={table.few} data-head="Told">
                <AlarmDeliveries alarm={alarm} zone={zone} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
