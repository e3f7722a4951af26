import type { Bot, BotHealth, BotStatus } from '../contract/bot.ts';
import { holdWords } from './hold-words.ts';
import { statusWords } from './status-words.ts';

/** A realtime bot with this many failures, and no steady run between them, is in a crash loop. */
export const LOOP = 3;

type Health = Pick<BotHealth, 'state' | 'failures'>;

/** True when a realtime bot is in a crash loop, or runs again after one and has not run for long enough to be well. */
export function keepsCrashing({ state, failures }: Health): boolean {
  return state === 'crash_looping' || (state === 'recovering' && failures >= LOOP);
}

/** True when a bot needs attention: it cannot start, keeps crashing, or its last scheduled run failed. */
export function needsYou(status: BotStatus, health: Health): boolean {
  return status === 'failed' || health.state === 'failing' || keepsCrashing(health);
}

/** Health of a bot as the colour and words of its sign: the status, unless the health says more. */
export interface HealthWords {
  readonly tone: 'running' | 'warning' | 'failed' | 'scheduled' | 'stopped';
  /** Begins with a small letter. */
  readonly words: string;
}

const TONES: Readonly<Record<BotStatus, HealthWords['tone']>> = {
  starting: 'warning',
  running: 'running',
  stopping: 'warning',
  stopped: 'stopped',
  backing_off: 'warning',
  scheduled: 'scheduled',
  failed: 'failed',
};

const times = (count: number): string => (count > 1 ? ` · ${count}×` : '');

/** The one description of a bot's health, for the chip of the page, the command line, the tray and assistants. */
export function healthWords({
  status,
  health,
  hold = null,
}: Pick<Bot, 'status' | 'health'> & Partial<Pick<Bot, 'hold'>>): HealthWords {
  const plain = { tone: TONES[status], words: statusWords(status) };
  if (status === 'stopped' && hold !== null) return { tone: 'failed', words: holdWords(hold) };
  if (status === 'stopped' && health.state === 'failing') return { tone: 'failed', words: 'cannot start' };
  if (status === 'failed' || status === 'stopped' || status === 'stopping') return plain;
  if (health.state === 'crash_looping') return { tone: 'failed', words: `crash-looping${times(health.failures)}` };
  if (health.state === 'failing') return { tone: 'failed', words: `failing${times(health.failures)}` };
  if (health.state === 'recovering' && status === 'running')
    return { tone: 'warning', words: `recovering${keepsCrashing(health) ? times(health.failures) : ''}` };
  return plain;
}

const ORDER: readonly BotStatus[] = ['backing_off', 'stopping', 'starting', 'running', 'scheduled', 'stopped'];

/** Sort order of bots: those that need attention first, then unsettled ones, then by status. */
export function urgencyOf({
  status,
  health,
  hold = null,
}: Pick<Bot, 'status' | 'health'> & Partial<Pick<Bot, 'hold'>>): number {
  if (status === 'failed') return 0;
  if (hold !== null || needsYou(status, health)) return 1;
  return 2 + ORDER.indexOf(status);
}
