import type { Run } from '../../../contract/bot.ts';

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
