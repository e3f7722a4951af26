import { CircleAlert, CircleDashed, CirclePause, CirclePlay, Clock, LoaderCircle, RotateCw } from 'lucide-react';
import type { ComponentType } from 'react';
import type { BotStatus, RunStatus } from '../../contract/bot.ts';
import styles from './status.module.css';

type Tone = 'running' | 'warning' | 'failed' | 'scheduled' | 'stopped';
type Icon = ComponentType<{ readonly className?: string }>;

/** One word and one sign for every state: colour alone never says it. */
const STATES: Readonly<Record<BotStatus | RunStatus, readonly [string, Tone, Icon]>> = {
  starting: ['Starting', 'warning', LoaderCircle],
  running: ['Running', 'running', CirclePlay],
  stopping: ['Stopping', 'warning', LoaderCircle],
  stopped: ['Stopped', 'stopped', CirclePause],
  backing_off: ['Waiting to restart', 'warning', RotateCw],
  scheduled: ['Scheduled', 'scheduled', Clock],
  failed: ['Failed', 'failed', CircleAlert],
  succeeded: ['Succeeded', 'running', CirclePlay],
  timed_out: ['Timed out', 'failed', CircleAlert],
  skipped: ['Skipped', 'stopped', CircleDashed],
  lost: ['Lost', 'failed', CircleAlert],
};

/** A state of a bot or a run as sign and word. */
export function Status({ of }: { readonly of: BotStatus | RunStatus }) {
  const [word, tone, Icon] = STATES[of];
  const turns = of === 'starting' || of === 'stopping';
  return (
    <span className={`${styles.status} ${styles[tone]}`}>
      <Icon className={`${styles.icon} ${turns ? styles.turns : ''}`} aria-hidden="true" />
      {word}
    </span>
  );
}
