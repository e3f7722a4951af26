import type { ArmRequest } from '../../../contract/arming.ts';
import type { Bot, Reason } from '../../../contract/bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { KeyRestored } from '../../../contract/secrets.ts';
import { faultPoint } from '../../../node/fault-point.ts';
import { isUnwritable } from '../../../node/storage-error.ts';
import { NEEDS_ARMING } from '../../../shared/waiting-reasons.ts';
import { writtenTime } from '../../../shared/written-time.ts';
import type { Armings } from '../arming/armings.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import { currentBot, unchangedBot } from './current-bot.ts';
import type { Instances } from './instances.ts';
import type { Journal } from './journal.ts';
import { reason, startFailure } from './reasons.ts';
import type { StagedChanges } from './staged-changes.ts';
import type { Supervisor } from './supervisor.ts';
import type { BotRecords } from './wire-records.ts';

export interface ArmedBotsDeps {
  readonly bots: Pick<BotStore, 'get' | 'all'>;
  readonly journal: Pick<Journal, 'change'>;
  readonly supervisor: Pick<Supervisor, 'exclusively' | 'liveRuns'>;
  readonly armings: Pick<Armings, 'arm' | 'disarm' | 'waitFor'>;
  readonly staged: Pick<StagedChanges, 'drop'>;
  readonly instances: Pick<Instances, 'start' | 'stop'>;
  readonly records: Pick<BotRecords, 'of'>;
  /** Throws COPIED while no bot may start here. */
  readonly assertHere: () => void;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/** Arming and disarming of bots, with what it starts and stops. */
export class ArmedBots {
  readonly #deps: ArmedBotsDeps;

  constructor(deps: ArmedBotsDeps) {
    this.#deps = deps;
  }

  /**
   * Allows a bot to use its live secrets, with what it has now. One that waits for that is started. `by` names the person, who has
   * entered their PIN.
   */
  async arm(given: BotRow, how: Omit<ArmRequest, 'bot_id'>, by: string): Promise<Bot> {
    const { bots, journal, supervisor, armings, instances, assertHere, now } = this.#deps;
    assertHere();
    const waits = await supervisor.exclusively(given.botId, () => {
      const bot = unchangedBot(bots, given, how.if_generation);
      const until = writtenTime(new Date(now() + how.for_sec * 1000), 'UTC');
      const why = reason('ARMED', `${by} armed version ${bot.version} until ${until} UTC`, null, now());
      journal.change(bot.botId, {}, { kind: 'armed', why, also: () => armings.arm(bot, how, by) });
      return bot.reason?.code === NEEDS_ARMING && bot.hold === null;
    });
    faultPoint('arm:recorded');
    return waits ? await instances.start(given, { release: null }) : this.#read(given);
  }

  /** Takes the live secrets of a bot away: it stops, and starts only once it is armed again. What keys have asked of it is dropped. */
  async disarm(given: BotRow): Promise<Bot> {
    const { bots, journal, supervisor, armings, staged, instances, now } = this.#deps;
    let refused: unknown = null;
    const isAtWork = await supervisor.exclusively(given.botId, () => {
      const bot = currentBot(bots, given);
      const why = reason('DISARMED', 'A person took its live secrets away', null, now());
      // In one with the arming: a host that dies before it stops the program stops it at its next start.
      const change = { enabled: false, nextAttemptAt: null, updatedAt: now() };
      try {
        const also = (): void => {
          armings.disarm(bot.botId);
          staged.drop(bot.botId);
        };
        journal.change(bot.botId, change, { kind: 'disarmed', why, also });
      } catch (error) {
        // No disk may keep the bot trading: it is stopped all the same, and the caller hears that it is still armed.
        if (!isUnwritable(error)) throw error;
        refused = error;
      }
      return bot.enabled || supervisor.liveRuns(bot.botId).length > 0;
    });
    const stopped = isAtWork ? await instances.stop(currentBot(bots, given)) : this.#read(given);
    if (refused !== null) throw refused;
    return stopped;
  }

  /**
   * Starts what waited for the key of the secrets, each bot for itself. One that nobody has armed with what it has now waits for a
   * person; one that does not start for another reason is told of.
   */
  async startSealed(): Promise<Omit<KeyRestored, 'vault'>> {
    const sealed = this.#deps.bots.all().filter(({ enabled, deleting, hold, reason: why }) => {
      return enabled && !deleting && hold === null && why?.code === 'SECRETS_SEALED';
    });
    const started: KeyRestored['started'] = [];
    const waiting: KeyRestored['waiting'] = [];
    for (const bot of sealed) {
      const { botId: bot_id, name } = bot;
      const why = await this.#startOrWait(bot);
      if (why === null) started.push({ bot_id, name });
      else waiting.push({ bot_id, name, reason: why });
    }
    return { started, waiting };
  }

  async #startOrWait(given: BotRow): Promise<Reason | null> {
    const { bots, journal, supervisor, armings, instances, now, onError } = this.#deps;
    try {
      const why = await supervisor.exclusively(given.botId, () => {
        const bot = currentBot(bots, given);
        const waits = armings.waitFor(bot, 'host');
        if (waits !== null) journal.change(bot.botId, { reason: waits });
        return waits;
      });
      if (why === null) await instances.start(given, { release: null, byHost: true });
      return why;
    } catch (error) {
      if (!(error instanceof PlatformError)) onError(`start of ${given.botId}`, error);
      return startFailure(error, now());
    }
  }

  #read(given: BotRow): Bot {
    return this.#deps.records.of(currentBot(this.#deps.bots, given));
  }
}
