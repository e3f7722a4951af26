import { needsRows } from '../../../shared/alarm-rule-sentence.ts';
import type { AlarmStore, CursorRow } from '../control/alarm-store.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import { RowSubscription } from '../logs/row-subscription.ts';
import type { JudgedRows, Telemetry } from '../logs/telemetry-types.ts';
import type { ActiveRule, Outbox } from './outbox.ts';
import { type RowConsequence, RowWatch } from './row-watch.ts';

/** How often silence is looked for, and cursors over rows without an alarm are stored. */
export const TICK_MS = 5000;
const CURSOR_TICKS = 6;
/** Longest wait before a log that cannot be followed is tried again. */
const LONGEST_WAIT_MS = 300_000;

interface Followed {
  readonly watch: RowWatch;
  /** What its rules were when it began. */
  readonly form: string;
  readonly rows: RowSubscription<JudgedRows>;
  /** The newest cursor from which rows can be judged again; null until there is one. */
  kept: CursorRow | null;
  /** It is in the control database. */
  isStored: boolean;
  /** The watch has judged rows whose alarms were not stored. */
  undone: boolean;
  /** Times in a row that it could not be followed, or what it came to could not be stored. */
  failures: number;
  /** Steady time before which a failed one is not tried again. */
  retryAt: number;
}

interface FollowerDeps {
  readonly store: AlarmStore;
  readonly outbox: Outbox;
  readonly bots: Pick<BotStore, 'all' | 'get'>;
  readonly telemetry: Pick<Telemetry, 'subscribe'>;
  readonly now: () => number;
  readonly steady: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/**
 * Follows the rows of those bots alone that a rule needs rows of, as a live reader does. The cursor of a bot, with what its rows came
 * to up to there, is stored with the alarms of its rows, so that a killed host judges each row again or not at all, and never loses
 * one; rows raise no second alarm.
 */
export class RowFollower {
  readonly #deps: FollowerDeps;
  readonly #followed = new Map<string, Followed>();
  readonly #reported = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #ticks = 0;
  #closed = false;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.tick();
    this.#timer = setInterval(() => this.tick(), TICK_MS);
    this.#timer.unref();
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#attempt('cursors of alarms', () => this.#storeCursors(true));
    for (const { rows } of this.#followed.values()) rows.end();
    this.#followed.clear();
  }

  /** Follows what rules need, leaves what they do not, and looks for silence. */
  tick(): void {
    const { store, outbox, bots, now, steady } = this.#deps;
    if (this.#closed) return;
    this.#attempt('rules about rows', () => {
      const rules = new Map(
        store.ruleUsers().map((userId) => [userId, outbox.rulesOf(userId).filter(({ rule }) => needsRows(rule))]),
      );
      // Most hosts have no such rule, and may have thousands of bots.
      if (this.#followed.size === 0 && [...rules.values()].every((own) => own.length === 0)) return;
      const wanted = new Set<string>();
      for (const bot of bots.all()) {
        const own = (rules.get(bot.userId) ?? []).filter(
          ({ rule }) => rule.bots === null || rule.bots.includes(bot.botId),
        );
        if (own.length === 0 || bot.deleting || bot.trash !== null) continue;
        wanted.add(bot.botId);
        this.#follow(bot, own);
        const runs = bot.enabled && bot.status === 'running';
        const followed = this.#followed.get(bot.botId);
        // Of a log that cannot be followed nobody knows whether it is silent.
        if (followed === undefined || !followed.rows.hasBegun || followed.rows.isEnded) continue;
        this.#do(followed.watch.silences(runs, steady(), now()));
      }
      for (const [botId, followed] of this.#followed) {
        if (wanted.has(botId)) continue;
        followed.rows.end();
        this.#followed.delete(botId);
        // A later rule begins with the rows that come then.
        store.removeCursor(botId);
      }
      this.#ticks += 1;
      this.#storeCursors(this.#ticks % CURSOR_TICKS === 0);
    });
  }

  #follow(bot: BotRow, rules: readonly ActiveRule[]): void {
    const { store, telemetry, steady } = this.#deps;
    const form = JSON.stringify([bot.name, rules]);
    const { botId } = bot;
    const before = this.#followed.get(botId);
    const isSame = before !== undefined && before.form === form;
    if (isSame && !before.rows.isEnded) {
      if (before.rows.hasBegun) before.failures = 0;
      return;
    }
    if (isSame && steady() < before.retryAt) return;
    before?.rows.end();
    // A reader that never began knows no row of the log.
    const goesOn = before?.rows.hasBegun === true && !before.undone;
    const reached = goesOn ? { seq: before.rows.seq, state: before.watch.state(steady()) } : null;
    const kept = before === undefined ? store.cursor(botId) : (before.kept ?? reached);
    const { seq: after, state } = reached ?? kept ?? { seq: null, state: null };
    const rows = new RowSubscription<JudgedRows>(after, (batch) => this.#push(botId, followed, batch));
    const followed: Followed = {
      ...{ form, rows, kept },
      watch: new RowWatch(bot, rules, steady(), state),
      isStored: before?.isStored ?? kept !== null,
      undone: false,
      failures: before?.failures ?? 0,
      retryAt: 0,
    };
    this.#followed.set(botId, followed);
    rows.begin(
      // Rules need no text of a line, and masking that of many would keep what is behind from catching up.
      (sink) => telemetry.subscribe(botId, after, { ...sink, behind: 'judged' }),
      (error) => this.#failed(botId, followed, error),
    );
  }

  /** Has a log wait before it is followed again: 5 s, then ever longer. Only the first failure in a row is reported. */
  #failed(botId: string, followed: Followed, error: unknown): void {
    const { steady, onError } = this.#deps;
    followed.retryAt = steady() + Math.min(LONGEST_WAIT_MS, TICK_MS * 2 ** Math.min(20, followed.failures));
    if (followed.failures === 0) onError(`rows of ${botId} for alarms, which are tried again`, error);
    followed.failures += 1;
  }

  #push(botId: string, followed: Followed, batch: JudgedRows): boolean {
    const { store, now, steady } = this.#deps;
    followed.kept ??= { seq: followed.rows.seq, state: null };
    const lines = batch.logs.filter(({ source }) => source !== 'host').length;
    const found = followed.watch.rows(lines, batch.metrics, steady(), now());
    if (found.length === 0) return true;
    const cursor = { seq: batch.seq, state: followed.watch.state(steady()) };
    try {
      store.transaction(() => {
        this.#do(found);
        store.setCursor(botId, cursor);
      });
      Object.assign(followed, { kept: cursor, isStored: true });
      return true;
    } catch (error) {
      this.#deps.outbox.forget(followed.watch.userId);
      // The watch has judged what was not stored: the next one judges it again, from what is stored.
      followed.undone = true;
      this.#failed(botId, followed, error);
      return false;
    }
  }

  #do(found: readonly RowConsequence[]): void {
    for (const one of found) {
      if ('raise' in one) this.#deps.outbox.raise(one.raise);
      else this.#deps.outbox.recover(one.recover);
    }
  }

  /** Stores how far rows were judged: of `all` bots, or of those alone of which nothing is stored yet. */
  #storeCursors(all: boolean): void {
    const { store, steady } = this.#deps;
    const due = [...this.#followed].flatMap(([botId, followed]) => {
      const { rows, watch, isStored, undone, kept } = followed;
      if (!rows.hasBegun || undone || !(all || !isStored)) return [];
      const cursor = { seq: rows.seq, state: watch.state(steady()) };
      const isNew = !isStored || kept?.seq !== cursor.seq || kept.state !== cursor.state;
      return isNew ? [{ botId, followed, cursor }] : [];
    });
    if (due.length === 0) return;
    store.transaction(() => {
      for (const { botId, cursor } of due) store.setCursor(botId, cursor);
    });
    for (const { followed, cursor } of due) Object.assign(followed, { kept: cursor, isStored: true });
  }

  /** Reports the first failure in a row of each kind of work. */
  #attempt(where: string, work: () => void): void {
    try {
      work();
      this.#reported.delete(where);
    } catch (error) {
      if (!this.#reported.has(where)) this.#deps.onError(where, error);
      this.#reported.add(where);
    }
  }
}
