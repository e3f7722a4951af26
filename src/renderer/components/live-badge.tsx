import type { Bot } from '../../contract/bot.ts';
import { isArmed } from '../../shared/arming-words.ts';
import styles from './live-badge.module.css';

/** LIVE, wherever a bot stands that a person has allowed to trade with a live secret. */
export function LiveBadge({ bot }: { readonly bot: Pick<Bot, 'arming'> }) {
  if (!isArmed(bot)) return null;
  return (
    <span className={styles.live} title="It may use live secrets: it trades real money">
      LIVE
    </span>
  );
}
