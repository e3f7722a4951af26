import type { KnownBot } from './bot-watch.ts';
import { isActive } from './bot-watch.ts';

/** The question before the app ends, and what each answer does. */
export interface QuitQuestion {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly ['Stop bots and quit', 'Quit, bots go on', 'Cancel'];
}

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`;

/** Numbers and kinds of bots that the host's end affects, as the end of the question; null for none. */
function stakes(bots: readonly KnownBot[]): string | null {
  const active = bots.filter(({ status }) => isActive(status)).length;
  const scheduled = bots.filter(({ status }) => status === 'scheduled').length;
  if (active === 0 && scheduled === 0) return null;
  const parts = [
    ...(active === 0 ? [] : [`${count(active, 'bot')} ${active === 1 ? 'runs' : 'run'}`]),
    ...(scheduled === 0 ? [] : [`${count(scheduled, 'bot')} ${scheduled === 1 ? 'is' : 'are'} scheduled`]),
  ];
  return parts.join(', ');
}

/**
 * The question before the host ends with the app; null where that changes nothing: no bot runs and none is scheduled.
 * `bots` is null while they are unknown. The words must match what a stopping host does
 * (docs/hosting.md#what-happens-when).
 */
export function quitQuestion(bots: readonly KnownBot[] | null): QuitQuestion | null {
  const what = bots === null ? 'The host has not yet said which bots run' : stakes(bots);
  if (what === null) return null;
  const lines = [
    'Stop bots and quit: every program is ended now. What runs or is scheduled now goes on when the app is started again.',
    'Quit, bots go on: programs that run now go on alone, and what they write is read at the next start. Until then ' +
      'a failed bot is not restarted, queries get no answer, and no scheduled run begins.',
  ];
  return {
    message: `Quit Bot Platform? ${what}.`,
    detail: lines.join('\n\n'),
    buttons: ['Stop bots and quit', 'Quit, bots go on', 'Cancel'],
  };
}
