import { Bell as BellIcon } from 'lucide-react';
import { Link } from 'wouter';
import { useAlarmBell, useFollowAlarms } from '../data/alarm-bell.ts';
import styles from './shell.module.css';

const MOST = 99;

/** Leads to the alarms, and counts those that nobody has seen. */
export function BellLink() {
  useFollowAlarms();
  const unseen = useAlarmBell((one) => one.unseen);
  const words = unseen === 0 ? 'Alarms' : `Alarms: ${unseen} new`;
  return (
    <Link href="/settings/alarms" className={styles.tool} title={words} aria-label={words}>
      <BellIcon aria-hidden={true} />
      {unseen === 0 ? null : (
        <span className={styles.unseen} aria-hidden={true}>
          {unseen > MOST ? `${MOST}+` : unseen}
        </span>
      )}
    </Link>
  );
}
