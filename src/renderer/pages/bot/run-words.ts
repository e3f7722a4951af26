import type { Run } from '../../../contract/bot.ts';

/** The result of a bot in one line. */
export function resultLine(result: unknown): string | null {
  if (result === null || result === undefined) return null;
  if (typeof result === 'string') return result;
  if (typeof result === 'object' && 'message' in result && typeof result.message === 'string') return result.message;
  const text = JSON.stringify(result);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** What runs trade with, in words. */
export const MODE_WORDS: Readonly<Record<Run['mode'], string>> = {
  paper: 'Paper',
  live: 'Live',
  unverified: 'Unverified: the host cannot tell whether it trades with paper or live money',
  rehearsal: 'Rehearsal',
};

/** Triggers of runs, in words. */
export const TRIGGER_WORDS: Readonly<Record<Run['trigger'], string>> = {
  schedule: 'Schedule',
  manual: 'By hand',
  catch_up: 'Catch-up',
  query: 'Query',
  deploy: 'Deploy',
  restart: 'Restart',
  recovery: 'Recovery',
  update: 'Update',
  boot: 'Start',
};
