import { nextDue, parseSchedule, type Schedule } from '../../../shared/schedule.ts';
import { decideDue } from './due.ts';

/** A scheduled, enabled bot as the scheduler sees it. */
export interface ScheduledBot {
  readonly botId: string;
  readonly schedule: string;
  readonly timezone: string;
  /** Due times up to here are decided, milliseconds since the epoch. */
  readonly decidedTo: number;
  readonly catchUp: 'run_once' | 'skip';
}

/** The scheduler's connection to stored bots and runs; each call returns after storing. */
export interface SchedulePort {
  enabled(): readonly ScheduledBot[];
  /**
   * Records decisions and moves `decidedTo` of their bots, all in one transaction; a due time with a run is skipped.
   * Runs start after the commit.
   */
  decide(decisions: readonly Decision[]): void;
}

export interface Decision {
  readonly botId: string;
  readonly decidedTo: number;
  readonly run: { readonly scheduledAt: number; readonly trigger: 'schedule' | 'catch_up' } | null;
  readonly missed: readonly number[];
  readonly missedMore: number;
}

/** A clock that goes back further than this makes the cursor follow it; the unique due time keeps runs from repeating. */
const CLOCK_BACK_MS = 300_000;
const LONGEST_SLEEP_MS = 15_000;
/** Longest delay before a clock set back is noticed: due times within it still count. */
const NOTICED_MS = 2 * LONGEST_SLEEP_MS;

/**
 * Decides due times by the wall clock. Repeated calls of `tick` decide a due time once. Between ticks a timer wakes it
 * at the next due time, at the latest after 15 s, so that suspend and clock jumps are noticed.
 */
export class Scheduler {
  readonly #port: SchedulePort;
  readonly #now: () => number;
  readonly #onError: (where: string, error: unknown) => void;
  readonly #parsed = new Map<string, Schedule>();
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  /** No host ran at due times before this. */
  #upSince: number;

  constructor(port: SchedulePort, now: () => number, onError: (where: string, error: unknown) => void) {
    this.#port = port;
    this.#now = now;
    this.#onError = onError;
    this.#upSince = now();
  }

  start(): void {
    this.#running = true;
    this.tick();
  }

  stop(): void {
    this.#running = false;
    clearTimeout(this.#timer);
  }

  /** Decides what is due now and sleeps until the next due time. */
  tick(): void {
    if (!this.#running) return;
    clearTimeout(this.#timer);
    const now = this.#now();
    // The clock was set back: this host has been up since before the present reading.
    this.#upSince = Math.min(this.#upSince, now);
    let soonest = now + LONGEST_SLEEP_MS;
    const decisions: Decision[] = [];
    for (const bot of this.#bots()) {
      try {
        const { decision, next } = this.#decide(bot, now);
        if (decision !== null) decisions.push(decision);
        if (next !== null && next < soonest) soonest = next;
      } catch (error) {
        this.#onError(`schedule of ${bot.botId}`, error);
      }
    }
    this.#store(decisions);
    this.#timer = setTimeout(() => this.tick(), Math.max(1, soonest - this.#now()));
    this.#timer.unref();
  }

  /** Empty while the database is unreadable: the next tick tries again. */
  #bots(): readonly ScheduledBot[] {
    try {
      return this.#port.enabled();
    } catch (error) {
      this.#onError('schedules', error);
      return [];
    }
  }

  /**
   * Stores all decisions in one transaction, since thousands may be due in one minute. If that fails, stores each
   * alone, so that one failure does not block the others.
   */
  #store(decisions: readonly Decision[]): void {
    const [first] = decisions;
    if (first === undefined) return;
    try {
      this.#port.decide(decisions);
    } catch (error) {
      if (decisions.length === 1) this.#onError(`schedule of ${first.botId}`, error);
      else for (const one of decisions) this.#store([one]);
    }
  }

  #decide(bot: ScheduledBot, now: number): { readonly decision: Decision | null; readonly next: number | null } {
    const schedule = this.#schedule(bot);
    const from = bot.decidedTo - now > CLOCK_BACK_MS ? now - NOTICED_MS : bot.decidedTo;
    const due = decideDue(schedule, from, now, bot.catchUp, this.#upSince);
    const isNew = due.run !== null || due.missed.length > 0 || from !== bot.decidedTo;
    const decidedTo = Math.max(now, from);
    return { decision: isNew ? { botId: bot.botId, decidedTo, ...due } : null, next: nextDue(schedule, decidedTo) };
  }

  #schedule({ schedule: text, timezone }: ScheduledBot): Schedule {
    const key = `${timezone} ${text}`;
    const known = this.#parsed.get(key);
    if (known !== undefined) return known;
    const parsed = parseSchedule(text, timezone);
    if (this.#parsed.size > 10_000) this.#parsed.clear();
    this.#parsed.set(key, parsed);
    return parsed;
  }
}
