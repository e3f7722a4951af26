import type { LiveBatch } from '../../../contract/telemetry.ts';
import { needsRows } from '../../../shared/alarm-sentence.ts';
import type { AlarmStore } from '../control/alarm-store.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import { FollowedRows } from '../logs/followed-rows.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import type { ActiveRule, Outbox } from './outbox.ts';
import { type RowConsequence, RowWatch } from './row-watch.ts';

/** How often silence is looked for, and cursors over rows without an alarm are stored. */
export const TICK_MS = 5000;
const CURSOR_TICKS = 6;

interface Followed {
  readonly watch: RowWatch;
  /** What its rules were when it began. */
  readonly form: string;
  readonly rows: FollowedRows;
  /** The seq that is stored as judged. */
  storedSeq: number;
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
 * Follows the rows of those bots alone that a rule needs rows of, as a live reader does. The cursor of a bot is stored with the alarms
 * of its rows, so that a killed host judges each row again or not at all, and never loses one; rows raise no second alarm.
 */
export class RowFollower {
  readonly #deps: FollowerDeps;
  readonly #followed = new Map<string, Followed>();
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
    this.#attempt('cursors of alarms', () => this.#storeCursors());
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
        if (own.length === 0 || bot.deleting) continue;
        wanted.add(bot.botId);
        this.#follow(bot, own);
        const runs = bot.enabled && bot.status === 'running';
        this.#do(this.#followed.get(bot.botId)?.watch.silences(runs, steady(), now()) ?? []);
      }
      for (const [botId, followed] of this.#followed) {
        if (wanted.has(botId)) continue;
        followed.rows.end();
        this.#followed.delete(botId);
        // A later rule begins with the rows that come then.
        store.removeCursor(botId);
      }
      this.#ticks += 1;
      if (this.#ticks % CURSOR_TICKS === 0) this.#storeCursors();
    });
  }

  #follow(bot: BotRow, rules: readonly ActiveRule[]): void {
    const { store, telemetry, steady, onError } = this.#deps;
    const form = JSON.stringify([bot.name, rules]);
    const before = this.#followed.get(bot.botId);
    if (before !== undefined && before.form === form && !before.rows.isEnded) return;
    before?.rows.end();
    const after = before?.rows.seq ?? store.cursor(bot.botId);
    const isSame = before !== undefined && before.form === form;
    const watch = isSame ? before.watch : new RowWatch(bot, rules, steady());
    const { botId } = bot;
    const rows = new FollowedRows(after, (batch) => this.#push(botId, followed, batch));
    const followed: Followed = { watch, form, rows, storedSeq: before?.storedSeq ?? after ?? 0 };
    this.#followed.set(botId, followed);
    // The next tick tries again.
    rows.begin(telemetry, botId, after, (error) => onError(`rows of ${botId} for alarms`, error));
  }

  #push(botId: string, followed: Followed, batch: Extract<LiveBatch, { seq: number }>): boolean {
    const { store, now, steady } = this.#deps;
    const lines = batch.logs.filter(({ source }) => source !== 'host').length;
    const found = followed.watch.rows(lines, batch.metrics, steady(), now());
    if (found.length === 0) return true;
    const stored = this.#attempt(`alarms of rows of ${botId}`, () =>
      store.transaction(() => {
        this.#do(found);
        store.setCursor(botId, batch.seq);
      }),
    );
    if (stored) followed.storedSeq = batch.seq;
    return stored;
  }

  #do(found: readonly RowConsequence[]): void {
    for (const one of found) {
      if ('raise' in one) this.#deps.outbox.raise(one.raise);
      else this.#deps.outbox.recover(one.recover);
    }
  }

  #storeCursors(): void {
    const moved = [...this.#followed].filter(([, { rows, storedSeq }]) => rows.seq !== storedSeq);
    if (moved.length === 0) return;
    this.#deps.store.transaction(() => {
      for (const [botId, { rows }] of moved) this.#deps.store.setCursor(botId, rows.seq);
    });
    for (const [, followed] of moved) followed.storedSeq = followed.rows.seq;
  }

  #attempt(where: string, work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#deps.onError(where, error);
      return false;
    }
  }
}
