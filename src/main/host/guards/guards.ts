import type { BotHold } from '../../../contract/bot.ts';
import { toTimestamp, toTimestampOrNull } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { Guard, NewGuard } from '../../../contract/guards.ts';
import { isUnwritable } from '../../../node/storage-error.ts';
import type { Holds } from '../bots/holds.ts';
import type { Journal } from '../bots/journal.ts';
import { guardFired } from '../bots/reasons.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { GuardStore } from '../control/guard-store.ts';
import { storedDecimal } from '../ledger/decimal.ts';
import { RowSubscription } from '../logs/row-subscription.ts';
import type { JudgedRows, Telemetry } from '../logs/telemetry-types.ts';
import { type GuardMemory, newMemory, readMemory, storedMemory } from './guard-memory.ts';
import { type GuardSpec, isAlike, isLooser, readSpec, sentenceOf } from './guard-spec.ts';
import { type HeldBy, judge, passTime, takeRows, type Verdict, verdictWords } from './judge.ts';

/** How often time passes for guards, and rows are followed again after a fault: well below the 2 s within which a stop begins. */
export const TICK_MS = 500;
/** What became of rows without a firing is stored after so many ticks: the next host judges again what came after that. */
const STORE_TICKS = 2;
/** That only time has passed is stored after so many: it costs no rows. */
const STORE_TIME_TICKS = 10;

interface KnownGuard {
  readonly guardId: string;
  readonly spec: GuardSpec;
  readonly memory: GuardMemory;
}

interface Watched {
  readonly botId: string;
  guards: KnownGuard[];
  rows: RowSubscription<JudgedRows>;
  /** Rows have come since the last tick: more may follow from before now, where they are read late. */
  rowsCame: boolean;
  /** Rows are in memory that are not stored. */
  isDirty: boolean;
  /** The same of time. */
  hasAged: boolean;
  /** The next host knows where to go on. */
  hasCursor: boolean;
}

/** What keeps the bot of a guard stopped. One that only tells does so of a held bot, too. */
function heldFor({ guardId, spec }: KnownGuard, hold: BotHold | null): HeldBy {
  if (hold === null || spec.action === 'alarm') return 'nothing';
  return hold.guard_id === guardId ? 'this guard' : 'another';
}

export interface GuardsDeps {
  readonly store: GuardStore;
  readonly bots: BotStore;
  readonly journal: Journal;
  readonly holds: Pick<Holds, 'change' | 'end' | 'endUnrecorded'>;
  readonly telemetry: Pick<Telemetry, 'subscribe'>;
  readonly transaction: <T>(work: () => T) => T;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** Milliseconds of a clock that stands still while the machine sleeps. */
  readonly steady: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/**
 * Guards of all bots. Each judges the rows of its bot as they are stored; what they came to is stored with the cursor of the bot,
 * and with the event and the hold of a guard that fires, in one transaction: a host that is killed judges no row twice.
 */
export class Guards {
  readonly #deps: GuardsDeps;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | null = null;
  #ticks = 0;
  #lastTick: number | null = null;

  constructor(deps: GuardsDeps) {
    this.#deps = deps;
  }

  start(): void {
    for (const botId of new Set(this.#deps.store.all().map((row) => row.botId))) this.#watch(botId);
    this.#timer = setInterval(() => this.tick(), TICK_MS);
    this.#timer.unref();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    for (const watched of this.#watched.values()) {
      this.#attempt(watched.botId, () => this.#storeTogether([watched]));
      watched.rows.end();
    }
    this.#watched.clear();
  }

  list(botId: string): Guard[] {
    return this.#known(botId).map((one) => this.#shown(botId, one));
  }

  /** The guards of a bot as they were set. */
  specs(botId: string): readonly GuardSpec[] {
    return this.#known(botId).map(({ spec }) => spec);
  }

  /** True if a guard would let pass what the one of its kind and symbol does not. Throws INVALID_REQUEST. */
  loosens(given: NewGuard): boolean {
    const spec = readSpec(given);
    const before = this.#known(given.bot_id).find((one) => isAlike(one.spec, spec));
    return before !== undefined && isLooser(before.spec, spec);
  }

  /**
   * Adds a guard, or changes the one of the same kind and symbol, which keeps what it knows. Throws SESSION_REQUIRED where
   * something that is no person would make it looser.
   */
  set(given: NewGuard, isPerson: boolean): Guard {
    const { bot_id: botId } = given;
    const spec = readSpec(given);
    const before = this.#known(botId).find((one) => isAlike(one.spec, spec));
    if (before !== undefined && !isPerson && isLooser(before.spec, spec)) {
      throw new PlatformError('SESSION_REQUIRED', 'An API key may make a guard stricter, not looser');
    }
    const isSame = before !== undefined && before.spec.unit === spec.unit && before.spec.zone === spec.zone;
    const guard: KnownGuard = {
      guardId: before?.guardId ?? this.#deps.newId('guard'),
      spec,
      memory: isSame ? before.memory : newMemory(),
    };
    const watched = this.#watched.get(botId);
    this.#storeTogether(watched === undefined ? [] : [watched], () => this.#put(botId, guard));
    if (watched === undefined) this.#watch(botId);
    else watched.guards = [...watched.guards.filter(({ guardId }) => guardId !== guard.guardId), guard];
    return this.#shown(botId, guard);
  }

  /** Sets the guards of a bot for a new one, in the transaction that stores it. They judge it from its first row on. */
  copy(from: string, to: string): void {
    const { store, newId } = this.#deps;
    const known = this.#known(from);
    if (known.length === 0) return;
    for (const { spec } of known) this.#put(to, { guardId: newId('guard'), spec, memory: newMemory() });
    store.setCursor(to, 0);
    this.#watch(to);
  }

  /** Throws GUARD_NOT_FOUND. */
  remove(botId: string, guardId: string): void {
    if (!this.list(botId).some((guard) => guard.guard_id === guardId)) throw new PlatformError('GUARD_NOT_FOUND');
    this.#deps.store.remove(guardId);
    const watched = this.#watched.get(botId);
    if (watched === undefined) return;
    watched.guards = watched.guards.filter((guard) => guard.guardId !== guardId);
    if (watched.guards.length > 0) return;
    this.#leave(watched);
    this.#deps.store.removeCursor(botId);
  }

  /** Lets time pass, and follows again what ended. */
  tick(): void {
    const steady = this.#deps.steady();
    const passed = Math.min(Math.max(0, steady - (this.#lastTick ?? steady)), 10 * TICK_MS);
    this.#lastTick = steady;
    this.#ticks += 1;
    for (const watched of this.#watched.values()) {
      const bot = this.#deps.bots.get(watched.botId);
      if (bot === null) {
        this.#leave(watched);
        continue;
      }
      if (watched.rows.isEnded) {
        this.#leave(watched);
        this.#watch(watched.botId);
        continue;
      }
      const runs = bot.enabled && bot.status === 'running';
      for (const { spec, memory } of watched.guards) passTime(spec, memory, passed, runs);
      watched.hasAged ||= runs;
      const rowsCome = watched.rowsCame;
      watched.rowsCame = false;
      this.#attempt(watched.botId, () => {
        if (!this.#judge(watched, watched.rows.seq, rowsCome)) this.#forget(watched);
      });
    }
    this.#storeAll();
  }

  /** One transaction for all bots: each is a write of the disk, however little it stores. */
  #storeAll(): void {
    const rowsAreDue = this.#ticks % STORE_TICKS === 0;
    const timeIsDue = this.#ticks % STORE_TIME_TICKS === 0;
    const due = [...this.#watched.values()].filter(
      ({ rows, hasCursor, isDirty, hasAged }) =>
        !rows.isEnded && ((!hasCursor && rows.hasBegun) || (isDirty && rowsAreDue) || (hasAged && timeIsDue)),
    );
    if (due.length === 0) return;
    this.#attempt('all bots', () => this.#storeTogether(due));
  }

  /** Stores bots in one transaction, with what else belongs to it. What comes to nothing is not taken for stored. */
  #storeTogether(all: readonly Watched[], also: () => void = () => undefined): void {
    this.#deps.transaction(() => {
      for (const watched of all) this.#store(watched);
      also();
    });
    for (const watched of all) this.#isStored(watched);
  }

  #watch(botId: string): void {
    const { store, telemetry, onError } = this.#deps;
    this.#attempt(botId, () => {
      const guards = this.#read(botId);
      if (guards.length === 0) return;
      const after = store.cursor(botId);
      const rows = new RowSubscription<JudgedRows>(after, (batch) => this.#push(watched, batch));
      const watched: Watched = { botId, guards, rows, rowsCame: true, isDirty: true, hasAged: false, hasCursor: false };
      this.#watched.set(botId, watched);
      // A guard that falls behind a bot which floods its log must not wait for text that no guard reads.
      rows.begin(
        (sink) => telemetry.subscribe(botId, after, { ...sink, behind: 'judged' }),
        (error) => onError(`rows of ${botId} for guards`, error),
      );
    });
  }

  #leave(watched: Watched): void {
    watched.rows.end();
    this.#watched.delete(watched.botId);
  }

  /** What is in memory could not be stored: the rows are judged again from what is. */
  #forget(watched: Watched): void {
    watched.rows.end();
  }

  #push(watched: Watched, batch: JudgedRows): boolean {
    for (const { spec, memory } of watched.guards) takeRows(spec, memory, batch.logs, batch.metrics);
    watched.isDirty = true;
    watched.rowsCame = true;
    let isStored = false;
    this.#attempt(watched.botId, () => {
      isStored = this.#judge(watched, batch.seq, true);
    });
    return isStored;
  }

  /** Judges all guards of a bot after rows up to `seq`; false where what follows could not be stored. */
  #judge(watched: Watched, seq: number, rowsCome: boolean): boolean {
    const { bots, now } = this.#deps;
    const bot = bots.get(watched.botId);
    if (bot === null || bot.deleting || bot.trash !== null) return true;
    const found: { readonly guard: KnownGuard; readonly verdict: Verdict }[] = [];
    for (const guard of watched.guards) {
      const verdict = judge(guard.spec, guard.memory, { now: now(), heldBy: heldFor(guard, bot.hold), rowsCome });
      if (verdict !== null) found.push({ guard, verdict });
    }
    return found.length === 0 || this.#fire(watched, bot, seq, found);
  }

  #fire(
    watched: Watched,
    bot: BotRow,
    seq: number,
    found: readonly { readonly guard: KnownGuard; readonly verdict: Verdict }[],
  ): boolean {
    const { journal, holds, newId, now, onError } = this.#deps;
    const at = now();
    const message = found.map(({ guard, verdict }) => verdictWords(guard.spec, verdict)).join('. ');
    const stopping = found.find(({ guard, verdict }) => verdict.is !== 'unknown' && guard.spec.action === 'stop');
    const hasFired = found.some(({ verdict }) => verdict.is !== 'unknown');
    const hold: BotHold | null =
      stopping === undefined
        ? null
        : {
            hold_id: newId('hold'),
            by: 'guard',
            since: toTimestamp(at),
            guard_id: stopping.guard.guardId,
            who: null,
            message,
          };
    const why = guardFired(message, at, hasFired ? 'GUARD_FIRED' : 'GUARD_UNKNOWN');
    try {
      journal.change(bot.botId, hold === null ? {} : holds.change(bot, hold), {
        kind: hasFired ? 'guard_fired' : 'guard_unknown',
        why,
        also: () => this.#store(watched, seq),
      });
    } catch (error) {
      onError(`guards of ${bot.botId}`, error);
      if (stopping === undefined || !isUnwritable(error)) return false;
      // No disk may keep the bot trading. It is judged again once there is space, and is held by then.
      holds.endUnrecorded(bot, stopping.guard.guardId, message);
      return false;
    }
    this.#isStored(watched);
    if (hold !== null) holds.end(bot.botId);
    return true;
  }

  /** Must run in a transaction, after which `#isStored` is called. */
  #store({ botId, guards, rows }: Watched, seq = rows.seq): void {
    const { store } = this.#deps;
    // What is in memory may be of a row that follows the cursor, and that is judged again.
    if (rows.isEnded) return;
    for (const { guardId, memory } of guards) store.setState(guardId, storedMemory(memory));
    if (rows.hasBegun) store.setCursor(botId, seq);
  }

  #isStored(watched: Watched): void {
    watched.hasCursor = watched.rows.hasBegun;
    watched.isDirty = false;
    watched.hasAged = false;
  }

  #put(botId: string, { guardId, spec, memory }: KnownGuard): void {
    const symbol = spec.symbol ?? '';
    this.#deps.store.put({ guardId, botId, kind: spec.kind, symbol, spec, state: storedMemory(memory) });
  }

  /** Guards with what belongs to the stored cursor, or to rows that are followed now. */
  #known(botId: string): readonly KnownGuard[] {
    const watched = this.#watched.get(botId);
    // Once its rows have ended, what is in memory may be of rows that come again.
    return watched === undefined || watched.rows.isEnded ? this.#read(botId) : watched.guards;
  }

  #read(botId: string): KnownGuard[] {
    return this.#deps.store
      .all()
      .filter((row) => row.botId === botId)
      .map((row) => ({ guardId: row.guardId, spec: row.spec as GuardSpec, memory: readMemory(row.state) }));
  }

  #shown(botId: string, { guardId, spec, memory }: KnownGuard): Guard {
    const { kind, limit, unit, symbol, action, zone, failClosedMin } = spec;
    const hasFired = memory.value !== null && storedDecimal(memory.value).gte(storedDecimal(limit));
    const waits = memory.value === null || memory.waitTold;
    return {
      guard_id: guardId,
      bot_id: botId,
      ...{ kind, limit, unit, symbol, action, zone },
      fail_closed_min: failClosedMin,
      state: hasFired ? 'fired' : waits ? 'waiting' : 'ok',
      value: memory.value,
      fired_at: toTimestampOrNull(memory.firedAt),
      sentence: sentenceOf(spec),
    };
  }

  #attempt(botId: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#deps.onError(`guards of ${botId}`, error);
    }
  }
}
