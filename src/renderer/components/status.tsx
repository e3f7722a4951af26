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
import type { Bot, BotStatus, RunStatus } from '../../contract/bot.ts';
import { type HealthWords, healthWords } from '../../shared/health.ts';
import { statusWords } from '../../shared/status-words.ts';
import styles from './status.module.css';

type Tone = HealthWords['tone'];
type Icon = ComponentType<{ readonly className?: string }>;

/** One sign for every state, beside its words: colour alone never tells a state. */
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

/** A state of a run as sign and word. */
export function Status({ of }: { readonly of: RunStatus }) {
  const [tone, icon] = STATES[of];
  return <Sign tone={tone} icon={icon} words={statusWords(of)} turns={of === 'starting'} />;
}

/** State of a bot as sign and words: its status, unless its health says more. */
export function BotState({ bot }: { readonly bot: Pick<Bot, 'status' | 'health'> & Partial<Pick<Bot, 'hold'>> }) {
  const { tone, words } = healthWords(bot);
  const [usual, icon] = STATES[bot.status];
  const turns = bot.status === 'starting' || bot.status === 'stopping';
  // Where the health says more than the status, the sign is that of the health.
  const sign = tone === usual ? icon : tone === 'failed' ? CircleAlert : RotateCw;
  return <Sign tone={tone} icon={sign} words={words} turns={turns && tone === usual} />;
}

function Sign(of: { readonly tone: Tone; readonly icon: Icon; readonly words: string; readonly turns: boolean }) {
  const Icon = of.icon;
  return (
    <span className={`${styles.status} ${styles[of.tone]}`}>
      <Icon className={`${styles.icon} ${of.turns ? styles.turns : ''}`} aria-hidden="true" />
      {of.words.charAt(0).toUpperCase() + of.words.slice(1)}
    </span>
  );
}
