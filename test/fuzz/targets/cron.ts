import { PlatformError } from '../../../src/contract/errors.ts';
import { type CronSchedule, nextRun, parseCron } from '../../../src/shared/cron.ts';
import { describeCron } from '../../../src/shared/cron-describe.ts';
import { oracleMatches } from '../../support/cron-oracle.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { mutateText, ODD_NUMBERS } from '../mutate.ts';
import { expectThat, type FuzzTarget, plainSession } from '../target.ts';

const EXPRESSIONS = [
  '0 14 * * 1-5',
  '*/5 * * * *',
  '0,30 8-18/2 1,15 JAN-jun MON',
  '59 23 31 12 7',
  '0 0 29 2 *',
  '@daily',
];
const WORDS = [
  '*',
  '*/',
  ',',
  '-',
  '/',
  '7',
  '60',
  'SUN',
  'dec',
  'L',
  'W',
  '#',
  '@reboot',
  '  ',
  '\t',
  '00',
  '1-0',
  '**',
];
const FIELDS = ['*', '0', '*/7', '1-5', '5-1', '1,2', '3-9/4', '*/0', '31', '2', 'FEB', 'fri', '7', '*/1', '59/2', ''];
/** Milliseconds since the epoch, up to the ends of what a Date can be. */
const ODD_TIMES = ODD_NUMBERS.map((number) => Math.trunc(Math.max(-8.64e12, Math.min(number, 8.64e12))) * 1000);
const MINUTE_MS = 60_000;
const LOOKED_AT = 600;

function parsed(text: string): CronSchedule | null {
  try {
    return parseCron(text);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'INVALID_SCHEDULE') return null;
    throw error;
  }
}

/** A cron expression and a time: refused with INVALID_SCHEDULE, or its next time is the one that the plain reading finds. */
export const cron: FuzzTarget = {
  name: 'cron',
  limitMs: 5000,
  make(random: SeededRandom) {
    const fields = Array.from({ length: 5 }, () => random.pick(FIELDS)).join(' ');
    const text = random.below(2) === 0 ? fields : mutateText(random, random.pick(EXPRESSIONS), WORDS);
    const at = random.below(20) === 0 ? random.pick(ODD_TIMES) : random.below(4_000_000_000) * 1000;
    return JSON.stringify([text, at]);
  },
  open: () =>
    plainSession((input) => {
      const [text, at]: [string, number] = JSON.parse(input);
      const schedule = parsed(text);
      if (schedule === null) return;
      expectThat(describeCron(text, 'UTC') !== '', 'no words for an expression');
      expectThat(parseCron(schedule.text).text === schedule.text, 'the text of an expression is read as another one');
      const next = nextRun(schedule, at);
      if (next === null) return;
      expectThat(next > at && next % MINUTE_MS === 0, `${next} does not come after ${at}`);
      expectThat(oracleMatches(schedule.text, next), `${schedule.text} is not due at ${new Date(next).toISOString()}`);
      const first = Math.floor(at / MINUTE_MS) + 1;
      for (let minute = Math.max(first, next / MINUTE_MS - LOOKED_AT); minute < next / MINUTE_MS; minute++) {
        const early = oracleMatches(schedule.text, minute * MINUTE_MS);
        expectThat(!early, `${schedule.text} is due before ${new Date(next).toISOString()} already`);
      }
    }),
};
