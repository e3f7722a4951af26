import type { ArmRequest, BotArming } from '../../../contract/arming.ts';
import type { Reason } from '../../../contract/bot.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { isUnwritable } from '../../../node/storage-error.ts';
import { stableStringify } from '../../../shared/json.ts';
import { NEEDS_ARMING } from '../../../shared/waiting-reasons.ts';
import type { ArmingRow, ArmingStore } from '../control/arming-store.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { GuardSpec } from '../guards/guard-spec.ts';
import { type ArmedSubject, type Difference, differences, hashesOf, hasLooserGuards } from './armed-hashes.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** For how long the upgrade arms what held live secrets before. */
export const UPGRADE_MS = 90 * DAY_MS;
/** So long before its end an arming is told of, one after another, and once it has ended. */
const TOLD_BEFORE_MS = [3 * DAY_MS, DAY_MS, HOUR_MS, 0] as const;
/** How old the highest clock seen may be in the database. */
const STORE_CLOCK_MS = 10 * 60_000;

const UPGRADE = 'the upgrade';

export interface ArmingsDeps {
  readonly store: ArmingStore;
  /** Key of the data folder, for hashes. */
  readonly hostKey: string;
  /** What a program of this bot would be started with; null where it holds no live secret, or has no version to start. */
  readonly subjectOf: (bot: BotRow) => ArmedSubject | null;
  readonly guardsOf: (botId: string) => readonly GuardSpec[];
  readonly now: () => number;
}

/** How the arming of a bot stands to what would be started now. */
type Standing =
  | { readonly is: 'armed' | 'expired'; readonly row: ArmingRow }
  | { readonly is: 'changed'; readonly row: ArmingRow; readonly what: readonly Difference[] }
  | { readonly is: 'loosened'; readonly row: ArmingRow }
  | { readonly is: 'unarmed' };

/** What a change comes to: `ends` takes the last live secret from the bot, and its arming with it. */
export type AfterChange = 'goes on' | 'needs a person' | 'waits' | 'ends';

/** True for a change of what runs, or when: all but its name, and whether it is to run. */
function changesRuns(before: BotRow, after: BotRow): boolean {
  const of = ({ version, schedule, timezone, config, options, engine }: BotRow): string =>
    stableStringify({ version, schedule, timezone, config, options, engine });
  return of(before) !== of(after);
}

/** An arming whose end comes near (`left` in milliseconds) or has come (0). */
export interface NearEnd {
  readonly botId: string;
  readonly until: number;
  readonly left: number;
  readonly stops: boolean;
  /** How often it was told of once this was; null if there is nothing to tell. */
  readonly told: number | null;
}

/**
 * Armings: with which version, config and permits a person has allowed a bot to use its live secrets, and until when. A live secret
 * enters a program only if one matches. Its end ends starts by hand and changes; what runs goes on, and so do starts by the host,
 * because an open position needs its bot.
 */
export class Armings {
  readonly #deps: ArmingsDeps;
  #revision = 0;

  constructor(deps: ArmingsDeps) {
    this.#deps = deps;
  }

  /** Another number after each change of an arming. */
  get revision(): number {
    return this.#revision;
  }

  /** The arming of a bot as its record shows it; null for one without live secrets. */
  shown(bot: BotRow): BotArming | null {
    const standing = this.#standing(bot);
    if (standing === null) return null;
    const row = standing.is === 'unarmed' ? null : standing.row;
    return {
      state: standing.is,
      version: row?.version ?? null,
      armed_at: row === null ? null : toTimestamp(row.armedAt),
      armed_by: row?.armedBy ?? null,
      until: row === null ? null : toTimestamp(row.until),
      stop_at_expiry: row?.stopsAtEnd ?? false,
      for_review: row?.isForReview ?? false,
      message: words(standing),
    };
  }

  /** When what `shown` says of this bot changes by itself, in milliseconds since the epoch. */
  shownUntil(botId: string): number {
    const row = this.#deps.store.get(botId);
    return row === null || this.#isOver(row) ? Number.POSITIVE_INFINITY : row.until;
  }

  /**
   * Throws NEEDS_ARMING for a bot whose live secrets must enter no program: the check of every start, also of those that the host
   * makes by itself.
   */
  checkProgram(bot: BotRow): void {
    const refusal = this.#refusalFor(bot, 'host');
    if (refusal !== null) throw refusal;
  }

  /** As `checkProgram`, for a start by hand: an arming that has ended allows none. */
  checkByHand(bot: BotRow): void {
    const refusal = this.#refusalFor(bot, 'hand');
    if (refusal !== null) throw refusal;
  }

  /** Why a bot that the host or somebody is to start has to wait for a person to arm it; null if it need not. */
  waitFor(bot: BotRow, startedBy: 'host' | 'hand'): Reason | null {
    const refusal = this.#refusalFor(bot, startedBy);
    if (refusal === null) return null;
    return { code: NEEDS_ARMING, message: refusal.message, hint: refusal.hint, at: toTimestamp(this.#deps.now()) };
  }

  /**
   * True while an arming of this bot is stored, whatever the bot has become: with what it had then, it would start at once. So only a
   * person changes it.
   */
  remembers(botId: string): boolean {
    return this.#deps.store.get(botId) !== null;
  }

  /** Throws NEEDS_ARMING for a bot whose arming has ended: nothing of what runs, or when, is changed before it is armed again. */
  checkNotEnded(bot: BotRow): void {
    const row = this.#deps.store.get(bot.botId);
    if (row !== null && this.#isOver(row) && this.#deps.subjectOf(bot) !== null) {
      throw this.#refusal(bot, { is: 'expired', row });
    }
  }

  /** What a change means for the arming of a bot. Throws NEEDS_ARMING for one that is refused. */
  afterChange(before: BotRow, after: BotRow): AfterChange {
    const held = this.#standing(before);
    const next = this.#standing(after);
    // An open position may need the program that runs: it is left as it is.
    if (before.enabled && after.enabled && changesRuns(before, after)) this.checkNotEnded(before);
    if (next === null) return held === null ? 'goes on' : 'ends';
    if (!after.enabled) return this.#afterChangeOfStopped(held, next, this.#isAlike(before, after));
    if (next.is === 'armed') return held?.is === 'armed' ? 'goes on' : 'needs a person';
    // It starts with this change, by hand: the person who changes what is armed may start it besides.
    if (!before.enabled && held?.is !== 'armed') throw this.#refusal(after, next);
    if (this.#isAlike(before, after)) return 'goes on';
    return held?.is === 'armed' ? 'needs a person' : 'waits';
  }

  /** Nothing starts: a person who has entered their PIN keeps it armed, or brings it back to what was armed. */
  #afterChangeOfStopped(held: Standing | null, next: Standing, isAlike: boolean): AfterChange {
    if (isAlike || (held?.is !== 'armed' && next.is !== 'armed')) return 'goes on';
    return 'needs a person';
  }

  /** Arms a bot with what it would be started with. `by` names the person. Throws INVALID_REQUEST for one without live secrets. */
  arm(bot: BotRow, { for_sec, stop_at_expiry }: Omit<ArmRequest, 'bot_id'>, by: string): void {
    const at = this.#deps.now();
    this.#put(bot, { until: at + for_sec * 1000, stopsAtEnd: stop_at_expiry ?? false, by, at, isForReview: false });
  }

  /**
   * Has the arming of an armed bot follow a change that a person made who has entered their PIN. It ends when it would have. `bot` is
   * the record after the change.
   */
  follow(bot: BotRow, by: string): void {
    const row = this.#deps.store.get(bot.botId);
    if (row === null || this.#deps.subjectOf(bot) === null) return;
    const { until, stopsAtEnd, isForReview } = row;
    this.#put(bot, { until, stopsAtEnd, by, at: this.#deps.now(), isForReview }, row.seenAt);
  }

  /** Has the arming of a bot follow a guard that a person has loosened or removed, with their PIN. */
  followGuards(botId: string): void {
    const { store, guardsOf } = this.#deps;
    const row = store.get(botId);
    if (row === null) return;
    store.put({ ...row, guards: guardsOf(botId) });
    this.#revision += 1;
  }

  /** What a program with a live secret trades with: `live` once a person has armed its bot. */
  modeOf(botId: string): 'live' | 'unverified' {
    return this.#deps.store.get(botId)?.isForReview === false ? 'live' : 'unverified';
  }

  /** Takes the arming of a bot away. */
  disarm(botId: string): void {
    this.#deps.store.remove(botId);
    this.#revision += 1;
  }

  /** Has the arming of a bot end now, as it would in time: the PIN of its user was reset. */
  endNow(botId: string): void {
    const { store, now } = this.#deps;
    const row = store.get(botId);
    if (row === null || this.#isOver(row)) return;
    store.put({ ...row, until: Math.max(row.seenAt, now()) });
    this.#revision += 1;
  }

  /** Arms what held live secrets before there were armings, once. */
  armExisting(bots: readonly BotRow[]): readonly BotRow[] {
    const { store, subjectOf, now } = this.#deps;
    const existing = store.existing();
    if (existing === null) return [];
    const at = now();
    // Others came or changed since the upgrade, while the host had not the key of its secrets.
    const isUnchanged = ({ botId, epoch, generation, deleting }: BotRow): boolean => {
      const was = existing.get(botId);
      return !deleting && was?.epoch === epoch && was.generation === generation;
    };
    const live = bots.filter((bot) => isUnchanged(bot) && subjectOf(bot) !== null);
    for (const bot of live) {
      this.#put(bot, { until: at + UPGRADE_MS, stopsAtEnd: false, by: UPGRADE, at, isForReview: true });
    }
    store.existingArmed();
    return live;
  }

  /** Lets time pass: remembers the highest clock, and returns the armings whose end is to be told of, or has come. */
  tick(): readonly NearEnd[] {
    const { store, now } = this.#deps;
    const at = now();
    return store.all().flatMap((row): NearEnd[] => {
      const { botId, until, armedAt, stopsAtEnd: stops } = row;
      const seenAt = Math.max(row.seenAt, at);
      if (seenAt - row.seenAt >= STORE_CLOCK_MS) this.#storeClock({ ...row, seenAt });
      const left = Math.max(0, until - seenAt);
      // Whoever arms for a day need not hear at once that it ends within three.
      const told = TOLD_BEFORE_MS.filter((before) => before < until - armedAt && left <= before).length;
      const isTold = told <= row.told;
      return isTold && left > 0 ? [] : [{ botId, until, left, stops, told: isTold ? null : told }];
    });
  }

  /** A full disk keeps no arming from its end: the clock is stored with the next tick that finds space. */
  #storeClock(row: ArmingRow): void {
    try {
      this.#deps.store.put(row);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
    }
  }

  /** True where a change leaves all that is armed as it is, such as another name. */
  #isAlike(before: BotRow, after: BotRow): boolean {
    const { hostKey, subjectOf } = this.#deps;
    const [was, is] = [subjectOf(before), subjectOf(after)];
    return was !== null && is !== null && differences(hashesOf(hostKey, was), hashesOf(hostKey, is)).length === 0;
  }

  /** Remembers that the end of an arming was told of. Call in the transaction that stores what tells of it. */
  toldOf({ botId, told }: NearEnd): void {
    const row = this.#deps.store.get(botId);
    if (row !== null && told !== null) this.#deps.store.put({ ...row, told });
  }

  #put(
    bot: BotRow,
    how: {
      readonly until: number;
      readonly stopsAtEnd: boolean;
      readonly by: string;
      readonly at: number;
      readonly isForReview: boolean;
    },
    seenAt = 0,
  ): void {
    const { store, hostKey, subjectOf, guardsOf } = this.#deps;
    const subject = subjectOf(bot);
    if (subject === null) {
      throw new PlatformError('INVALID_REQUEST', `${bot.name} uses no live secret, so nothing has to be armed`, {
        hint: 'Start it as it is. A bot needs arming once its configuration refers to a secret of the class live.',
      });
    }
    store.put({
      ...hashesOf(hostKey, subject),
      botId: bot.botId,
      guards: guardsOf(bot.botId),
      version: bot.version,
      armedAt: how.at,
      armedBy: how.by,
      until: how.until,
      seenAt: Math.max(seenAt, how.at),
      stopsAtEnd: how.stopsAtEnd,
      isForReview: how.isForReview,
      told: 0,
    });
    this.#revision += 1;
  }

  /** Null for a bot without live secrets. */
  #standing(bot: BotRow): Standing | null {
    const { store, hostKey, subjectOf, guardsOf } = this.#deps;
    const subject = subjectOf(bot);
    if (subject === null) return null;
    const row = store.get(bot.botId);
    if (row === null) return { is: 'unarmed' };
    const what = differences(row, hashesOf(hostKey, subject));
    if (what.length > 0) return { is: 'changed', row, what };
    if (hasLooserGuards(row.guards as readonly GuardSpec[], guardsOf(bot.botId))) return { is: 'loosened', row };
    return { is: this.#isOver(row) ? 'expired' : 'armed', row };
  }

  /** A clock that is set back makes no arming longer. */
  #isOver({ until, seenAt }: ArmingRow): boolean {
    return Math.max(seenAt, this.#deps.now()) >= until;
  }

  #refusalFor(bot: BotRow, startedBy: 'host' | 'hand'): PlatformError | null {
    const standing = this.#standing(bot);
    if (standing === null || standing.is === 'armed') return null;
    if (startedBy === 'host' && standing.is === 'expired' && !standing.row.stopsAtEnd) return null;
    return this.#refusal(bot, standing);
  }

  #refusal(bot: BotRow, standing: Exclude<Standing, { is: 'armed' }>): PlatformError {
    const why = standing.is === 'expired' ? 'its arming has ended' : words(standing);
    return new PlatformError(NEEDS_ARMING, `${bot.name} uses a live secret: ${why}`, {
      hint: `A person arms it, with their PIN: \`platform bot arm ${bot.botId}\`, or Arm on its page.`,
      details: { bot_id: bot.botId, arming: standing.is },
    });
  }
}

const DIFFERENCE_WORDS: Readonly<Record<Difference, string>> = {
  version: 'its version',
  config: 'its configuration',
  permits: 'its permits',
};

function words(standing: Standing): string {
  switch (standing.is) {
    case 'unarmed':
      return 'nobody has armed it';
    case 'armed':
      return `it is armed until ${toTimestamp(standing.row.until)}`;
    case 'expired':
      return `its arming ended on ${toTimestamp(standing.row.until)}`;
    case 'loosened':
      return 'a guard is looser than when it was armed';
    case 'changed':
      return `${standing.what.map((one) => DIFFERENCE_WORDS[one]).join(' and ')} changed since it was armed`;
  }
}
