import { afterEach, describe, expect, it } from 'vitest';
import { type Decision, type ScheduledBot, Scheduler } from '../../../../../src/main/host/schedule/scheduler.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T10:00:00Z');

/** The database's part in a test: keeps the cursor and refuses a due time it has seen, as the unique key does. */
class ScheduledFleet {
  readonly ran: { scheduledAt: number; trigger: string }[] = [];
  readonly missed: number[] = [];
  readonly errors: string[] = [];
  now = START;
  decidedTo = START;
  schedule = '* * * * *';
  timezone = 'UTC';
  readonly scheduler = new Scheduler(
    {
      enabled: (): ScheduledBot[] => [
        {
          botId: 'b',
          schedule: this.schedule,
          timezone: this.timezone,
          decidedTo: this.decidedTo,
          catchUp: 'run_once',
        },
      ],
      decide: (decisions: readonly Decision[]) => {
        for (const { decidedTo, missed, run } of decisions) {
          this.decidedTo = decidedTo;
          this.missed.push(...missed);
          if (run !== null && !this.ran.some((one) => one.scheduledAt === run.scheduledAt)) this.ran.push(run);
        }
      },
    },
    () => this.now,
    (where) => this.errors.push(where),
  );

  tickAt(now: number): void {
    this.now = now;
    this.scheduler.tick();
  }
}

const open: ScheduledFleet[] = [];
function scheduledFleet(): ScheduledFleet {
  const made = new ScheduledFleet();
  open.push(made);
  made.scheduler.start();
  return made;
}

afterEach(() => {
  for (const one of open.splice(0)) one.scheduler.stop();
});

describe('scheduler', () => {
  it('decides a due time once, however often it is woken', () => {
    const s = scheduledFleet();
    for (const ms of [0, 1, 500, 999]) s.tickAt(START + MINUTE + ms);
    expect(s.ran).toEqual([{ scheduledAt: START + MINUTE, trigger: 'schedule' }]);
  });

  it('runs each due time of a night in which the clock of its zone is set back once', () => {
    const s = scheduledFleet();
    s.schedule = '30 2 * * *';
    s.timezone = 'Europe/Berlin';
    const night = Date.parse('2026-10-25T00:00:00Z');
    s.decidedTo = night;
    for (let minute = 0; minute <= 180; minute++) s.tickAt(night + minute * MINUTE);
    expect(s.ran).toEqual([{ scheduledAt: Date.parse('2026-10-25T00:30:00Z'), trigger: 'schedule' }]);
    expect(s.missed).toEqual([]);
  });

  it('does not run before the time', () => {
    const s = scheduledFleet();
    s.tickAt(START + MINUTE - 1);
    expect(s.ran).toEqual([]);
  });

  it('notices a jump forward and makes up once', () => {
    const s = scheduledFleet();
    s.schedule = '0 * * * *';
    s.tickAt(START + 8.5 * 60 * MINUTE);
    expect(s.ran).toEqual([{ scheduledAt: START + 8 * 60 * MINUTE, trigger: 'catch_up' }]);
    expect(s.missed).toHaveLength(7);
  });

  it('runs nothing twice when the clock goes back, and goes on afterwards', () => {
    const s = scheduledFleet();
    for (let minute = 1; minute <= 30; minute++) s.tickAt(START + minute * MINUTE);
    for (let minute = 10; minute <= 40; minute++) s.tickAt(START + minute * MINUTE);
    expect(s.ran.map((one) => (one.scheduledAt - START) / MINUTE)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  });

  it('runs what comes due before it notices that the clock was set back', () => {
    const s = scheduledFleet();
    s.decidedTo = START + 60 * MINUTE;
    s.tickAt(START + MINUTE + 14_000);
    expect(s.ran).toEqual([{ scheduledAt: START + MINUTE, trigger: 'schedule' }]);
  });

  it('is not stopped for good by a clock that was far ahead', () => {
    const s = scheduledFleet();
    s.decidedTo = START + 365 * 24 * 60 * MINUTE;
    s.tickAt(START + MINUTE);
    s.tickAt(START + 2 * MINUTE);
    expect(s.ran.at(-1)?.scheduledAt).toBe(START + 2 * MINUTE);
  });

  it('reports a schedule it cannot read and stays alive', () => {
    const s = scheduledFleet();
    s.schedule = 'nonsense';
    s.tickAt(START + MINUTE);
    expect(s.errors).toEqual(['schedule of b']);
  });
});

it.each([
  [null, [['a', 'b', 'c']]],
  ['b', [['a', 'b', 'c'], ['a'], ['b'], ['c']]],
])(
  'bots that are due in the same minute are decided at once, and one by one where %s cannot be stored',
  (broken, expected) => {
    const [asked, errors]: [string[][], string[]] = [[], []];
    const bot = (botId: string) =>
      ({ botId, schedule: '* * * * *', timezone: 'UTC', decidedTo: START, catchUp: 'run_once' }) as const;
    const port = {
      enabled: () => ['a', 'b', 'c'].map(bot),
      decide: (decisions: readonly Decision[]) => {
        asked.push(decisions.map(({ botId }) => botId));
        if (decisions.some(({ botId }) => botId === broken)) throw new Error('broken');
      },
    };
    const scheduler = new Scheduler(
      port,
      () => START + MINUTE,
      (where) => errors.push(where),
    );
    scheduler.start();
    scheduler.stop();
    expect(asked).toEqual(expected);
    expect(errors).toEqual(broken === null ? [] : [`schedule of ${broken}`]);
  },
);
