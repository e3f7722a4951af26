import type { TabProps } from './bot-page.tsx';
import styles from './overview.module.css';

/** What matters about a bot now: what is wrong comes first. */
export function Overview({ bot }: TabProps) {
  return (
    <dl className={styles.facts}>
      <dt>Bot id</dt>
      <dd className="mono">{bot.bot_id}</dd>
      <dt>Restarts</dt>
      <dd>{bot.restarts}</dd>
    </dl>
  );
}
