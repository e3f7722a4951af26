import type { Bot, BotStatus, HealthState } from '../contract/bot.ts';
import { statusWords } from './status-words.ts';

/** True when a bot needs attention: it cannot start, keeps crashing, or its last scheduled run failed. */
export function needsYou(status: BotStatus, health: HealthState): boolean {
  return status === 'failed' || health === 'failing' || health === 'crash_looping';
}

/** How a bot is, as a sign's colour and words: its status, unless its health says more. */
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

/** The one definition of how a bot is, for the chip of the page, the command line, the tray and assistants. */
export function healthWords({ status, health }: Pick<Bot, 'status' | 'health'>): HealthWords {
  const plain = { tone: TONES[status], words: statusWords(status) };
  if (status === 'stopped' && health.state === 'failing') return { tone: 'failed', words: 'cannot start' };
  if (status === 'failed' || status === 'stopped' || status === 'stopping') return plain;
  if (health.state === 'crash_looping') return { tone: 'failed', words: `crash-looping${times(health.failures)}` };
  if (health.state === 'failing') return { tone: 'failed', words: `failing${times(health.failures)}` };
  if (health.state === 'recovering' && status === 'running') return { tone: 'warning', words: 'recovering' };
  return plain;
}

const ORDER: readonly BotStatus[] = ['backing_off', 'stopping', 'starting', 'running', 'scheduled', 'stopped'];

/** Sort order of bots: those that need attention first, then unsettled ones, then by status. */
export function urgencyOf({ status, health }: Pick<Bot, 'status' | 'health'>): number {
  if (status === 'failed') return 0;
  if (needsYou(status, health.state)) return 1;
  return 2 + ORDER.indexOf(status);
}
