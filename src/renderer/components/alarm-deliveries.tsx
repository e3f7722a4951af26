import type { Alarm } from '../../contract/alarms.ts';
import styles from './alarm-deliveries.module.css';
import { Time } from './time.tsx';

const WORDS = { sent: 'sent', waiting: 'waiting', failed: 'failed', dropped: 'dropped' } as const;

/** Who was told of an alarm, when; else why nobody was. */
export function AlarmDeliveries({ alarm, zone }: { readonly alarm: Alarm; readonly zone: 'local' | 'UTC' }) {
  if (alarm.deliveries.length === 0) return <span className={styles.nobody}>{alarm.note ?? 'Nobody'}</span>;
  return (
    <>
      {alarm.deliveries.map(({ channel_id, channel, state, at, problem }) => (
        <div key={channel_id} className={state === 'failed' ? styles.failed : undefined}>
          {channel}: {WORDS[state]} {state === 'sent' && at !== null ? <Time at={at} zone={zone} /> : null}
          {state === 'sent' || problem === null ? null : `(${problem})`}
        </div>
      ))}
    </>
  );
}
