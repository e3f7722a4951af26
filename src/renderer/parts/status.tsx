import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CirclePlay,
  Clock,
  LoaderCircle,
  RotateCw,
} from 'lucide-react';
import type { ComponentType } from 'react';
import type { BotStatus, RunStatus } from '../../contract/bot.ts';
import { statusWords } from '../../isomorphic/status-words.ts';
import styles from './status.module.css';

type Tone = 'running' | 'warning' | 'failed' | 'scheduled' | 'stopped';
type Icon = ComponentType<{ readonly className?: string }>;

/** One sign for every state, beside its words: colour alone never says it. */
const STATES: Readonly<Record<BotStatus | RunStatus, readonly [Tone, Icon]>> = {
  starting: ['warning', LoaderCircle],
  running: ['running', CirclePlay],
  stopping: ['warning', LoaderCircle],
  stopped: ['stopped', CirclePause],
  backing_off: ['warning', RotateCw],
  scheduled: ['scheduled', Clock],
  failed: ['failed', CircleAlert],
  succeeded: ['running', CircleCheck],
  timed_out: ['failed', CircleAlert],
  skipped: ['stopped', CircleDashed],
  lost: ['failed', CircleAlert],
};

/** A state of a bot or a run as sign and word. */
export function Status({ of }: { readonly of: BotStatus | RunStatus }) {
  const [tone, Icon] = STATES[of];
  const words = statusWords(of);
  const turns = of === 'starting' || of === 'stopping';
  return (
    <span className={`${styles.status} ${styles[tone]}`}>
      <Icon className={`${styles.icon} ${turns ? styles.turns : ''}`} aria-hidden="true" />
      {words.charAt(0).toUpperCase() + words.slice(1)}
    </span>
  );
}
