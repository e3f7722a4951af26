import type { Bot } from '../../../contract/bot.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { TrashedBot } from '../../../contract/trash.ts';
import { faultPoint } from '../../../node/fault-point.ts';
import type { Armings } from '../arming/armings.ts';
import type { BotRow, BotStore, BotTrash } from '../control/bot-store.ts';
import { BotWishes } from './bot-wishes.ts';
import { unchangedBot } from './current-bot.ts';
import { notYetEnded } from './deletion-waiters.ts';
import type { Instances } from './instances.ts';
import type { Journal } from './journal.ts';
import { isStuck, reason } from './reasons.ts';
import type { StagedChanges } from './staged-changes.ts';
import type { Supervisor } from './supervisor.ts';
import type { Tombstones } from './tombstones.ts';
import { notEnded } from './wait-for-run-ends.ts';
import type { BotRecords } from './wire-records.ts';

export interface TrashDeps {
  readonly bots: BotStore;
  readonly journal: Pick<Journal, 'change'>;
  readonly supervisor: Pick<Supervisor, 'liveRuns' | 'whenGone' | 'reconcile' | 'exclusively'>;
  readonly instances: Pick<Instances, 'erase' | 'settle' | 'nameFree'>;
  readonly armings: Pick<Armings, 'disarm'>;
  readonly staged: Pick<StagedChanges, 'drop'>;
  readonly tombstones: Pick<Tombstones, 'remember' | 'forget' | 'refuse' | 'refuseRestored'>;
  readonly records: Pick<BotRecords, 'of'>;
  readonly now: () => number;
  /** Time in ms that no change of the wall clock moves. */
  readonly steady: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/** Who deletes a bot. */
export type TrashedBy = Omit<BotTrash, 'at'>;

/** A stop hook, SIGTERM and SIGKILL take less. */
const LONGEST_END_MS = LIMITS.stopHookMs + 2 * LIMITS.stopGraceMs;

/** A bot whose time is over by the wall clock goes only after it has stayed so for as long by the steady one. */
const SURE_MS = 3_600_000;

/**
 * Deleted bots. A bot in the trash is off, its name is free, and nothing but the trash shows it; its books, log, state and files stay
 * as they are until it is restored, or removed for good.
 */
export class Trash {
  readonly #deps: TrashDeps;
  readonly #wishes: BotWishes;
  /** When each bot was first seen to have been here for too long, by the steady clock. */
  readonly #overSince = new Map<string, number>();

  constructor(deps: TrashDeps) {
    this.#deps = deps;
    this.#wishes = new BotWishes(deps);
  }

  /**
   * Disarms and stops a bot and puts it into the trash; resolves once its programs have ended. `endOthers` ends all other work on
   * it. Throws BOT_RUNNING where a program could not be ended yet: the bot is in the trash all the same.
   */
  async put(given: BotRow, by: TrashedBy, endOthers: () => Promise<void>, ifGeneration?: number): Promise<void> {
    const { bots, supervisor } = this.#deps;
    const bot = unchangedBot(bots, given, ifGeneration);
    faultPoint('delete:asked');
    this.#wishes.orWish(bot, 'trash', () => this.record(bot, by));
    faultPoint('delete:recorded');
    const stands = supervisor.whenGone(bot.botId);
    await endOthers();
    await supervisor.reconcile(bot.botId);
    bots.storeWish(bot.botId);
    const live = supervisor.liveRuns(bot.botId);
    // What its programs have written is stored after their end, and takes as long as there is of it.
    if (live.length === 0) await stands;
    else if ((await notEnded(live, LONGEST_END_MS)).length > 0) throw notYetEnded();
    this.#wishes.store(bot);
  }

  /** Records that a bot was deleted. What keys have asked of it is dropped with its arming. */
  record(bot: BotRow, by: TrashedBy): void {
    const { journal, supervisor, armings, staged, tombstones, now } = this.#deps;
    const { botId } = bot;
    const at = now();
    const runs = supervisor.liveRuns(botId).length > 0;
    const change = {
      trash: { at, ...by },
      enabled: false,
      // What it waited for starts no deleted bot.
      reason: bot.hold === null ? null : bot.reason,
      nextAttemptAt: null,
      updatedAt: at,
      ...(runs ? { status: 'stopping' as const } : {}),
    };
    const also = (): void => {
      armings.disarm(botId);
      staged.drop(botId);
      if (by.inPerson) tombstones.remember(bot, at);
    };
    const hint = 'Until then it can be restored with `platform trash restore`.';
    const why = reason('DELETED', `Deleted by ${by.by}; removed for good after ${until(at)}`, hint, at);
    journal.change(botId, change, { kind: 'deleted', why, also });
  }

  /** Deleted bots of a user, the newest first. */
  list(userId: string): BotRow[] {
    return this.#deps.bots
      .trashed()
      .filter((bot) => bot.userId === userId)
      .sort((a, b) => (b.trash?.at ?? 0) - (a.trash?.at ?? 0));
  }

  /**
   * Takes a bot out of the trash, stopped and as it was but for its arming. Throws NAME_TAKEN where another bot has its name by now,
   * BOT_RUNNING while a program of it still ends, and DELETED_BY_PERSON for a key within a day after a person has deleted it.
   */
  async restore(given: BotRow, name: string | null, inPerson: boolean): Promise<Bot> {
    const { bots, journal, supervisor, instances, tombstones, records, now } = this.#deps;
    await supervisor.exclusively(given.botId, () => {
      instances.settle(given.botId);
      const bot = trashedNow(bots, given);
      const called = name ?? bot.name;
      if (!inPerson) tombstones.refuseRestored({ ...bot, name: called });
      if (supervisor.liveRuns(bot.botId).length > 0 || isStuck(bot)) {
        throw new PlatformError('BOT_RUNNING', `${bot.name} has not come to rest yet`, {
          hint: 'Its program ends, or the last of its output is being stored: try again in a moment.',
        });
      }
      const why = reason('DISABLED', 'Stopped since it was restored', 'Start it when you want it to run.', now());
      const also = (): void => {
        instances.nameFree(bot.userId, called, bot.botId);
        if (inPerson) tombstones.forget(bot);
      };
      const off = { enabled: false, status: 'stopped', failures: 0, nextAttemptAt: null } as const;
      journal.change(
        bot.botId,
        { ...off, trash: null, name: called, reason: bot.hold === null ? why : bot.reason, updatedAt: now() },
        { kind: 'restored', also },
      );
    });
    this.#overSince.delete(given.botId);
    const bot = bots.get(given.botId);
    if (bot === null) throw new PlatformError('BOT_NOT_FOUND');
    return records.of(bot);
  }

  /** Throws DELETED_BY_PERSON for a bot, as a key would make it, that a person deleted within a day. */
  refuseRemade(bot: BotRow): void {
    this.#deps.tombstones.refuse(bot);
  }

  /**
   * Removes a bot of the trash with everything of it; resolves when nothing is left. `inPerson`: a person does, so that no key makes
   * it again for a day, whoever had deleted it.
   */
  async erase(given: BotRow, inPerson = false): Promise<void> {
    const { bots, instances, tombstones, now } = this.#deps;
    const bot = trashedNow(bots, given);
    if (inPerson) tombstones.remember(bot, now());
    await instances.erase(bot);
    this.#overSince.delete(given.botId);
  }

  /** Removes the bots that have been here for 7 days. A clock that was set ahead for less than an hour removes none. */
  eraseOld(): void {
    const { bots, now, steady, onError } = this.#deps;
    for (const bot of bots.trashed()) {
      const isOver = bot.trash !== null && now() >= bot.trash.at + LIMITS.trashMs;
      if (!isOver) {
        this.#overSince.delete(bot.botId);
        continue;
      }
      const since = this.#overSince.get(bot.botId) ?? steady();
      this.#overSince.set(bot.botId, since);
      if (steady() - since < SURE_MS) continue;
      this.erase(bot).catch((error: unknown) => onError(`${bot.botId} of the trash`, error));
    }
  }
}

const until = (at: number): string => toTimestamp(at + LIMITS.trashMs);

function trashedNow(bots: Pick<BotStore, 'get'>, { botId }: BotRow): BotRow {
  const bot = bots.get(botId);
  if (bot !== null && bot.trash !== null && !bot.deleting) return bot;
  throw new PlatformError('BOT_NOT_FOUND', 'The bot is not in the trash any more');
}

/** A bot of the trash as every surface shows it. */
export function toTrashedBot(bot: BotRow): TrashedBot {
  const { at, by, inPerson } = bot.trash ?? { at: bot.updatedAt, by: '', inPerson: true };
  return {
    bot_id: bot.botId,
    name: bot.name,
    type: `${bot.type}/${bot.customBot}`,
    version: bot.version,
    deleted_at: toTimestamp(at),
    deleted_by: by,
    in_person: inPerson,
    restorable_until: until(at),
  };
}
