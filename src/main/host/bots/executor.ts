import { LIMITS } from '../../../contract/limits.ts';
import type { StopReason } from '../../../contract/stop-reason.ts';
import { faultPoint } from '../../../node/fault-point.ts';
import type { BotRow } from '../control/bot-store.ts';
import { eraseBot } from './erase.ts';
import { type LiveRun, liveRun } from './live-run.ts';
import { newRun } from './new-run-row.ts';
import type { Orphan } from './orphans.ts';
import type { Action, Facts, PlanEvent } from './plan-types.ts';
import { runStopHook } from './run-stop-hook.ts';
import { RunWatch } from './run-watch.ts';
import { storeRecord } from './store-bot-and-run.ts';
import type { SupervisorParts } from './supervisor-types.ts';

/**
 * Carries out what the plan says, and decides nothing: it gathers facts, asks for a plan, does the actions. All steps of
 * one bot but those that only end programs run one after another, in its mutex.
 */
export class Executor {
  readonly #parts: SupervisorParts;
  readonly #watch: RunWatch;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.#watch = new RunWatch(parts, (botId, event) => this.step(botId, event));
  }

  /** Does what a bot needs after an event; resolves after that, not after programs have ended. */
  async step(botId: string, event: PlanEvent): Promise<void> {
    let asked: Facts['orphans'] = 'unasked';
    for (let isOpen = true; isOpen; ) {
      const bot = this.#parts.bots.get(botId);
      if (bot === null) return;
      const facts = this.#facts(bot, event, asked);
      isOpen = false;
      for (const action of this.#parts.plan(bot, this.#parts.live.of(botId), facts, this.#parts.now())) {
        if (action.do === 'adopt') asked = 'mayRun';
        if (action.do === 'endOrphans') asked = 'unended';
        if (action.do === 'again') isOpen = true;
        else await this.#do(bot, action);
      }
    }
  }

  #facts(bot: BotRow, event: PlanEvent, asked: Facts['orphans']): Facts {
    const { orphans, live, timers, preparations, waiters, random, isClosing } = this.#parts;
    let found: Facts['orphans'] | null = null;
    return {
      event,
      closing: isClosing(),
      // Asked at most once, and only by plans that need it: a look at all bots must stay cheap.
      get orphans() {
        found ??= orphans.of(bot.botId, live.of(bot.botId)).length === 0 ? 'none' : asked;
        return found;
      },
      restartTimer: timers.of(bot.botId),
      get preparation() {
        return preparations.isNeeded(bot) ? 'needed' : 'ready';
      },
      deletionWaiters: waiters.has(bot.botId),
      random: random(),
    };
  }

  #do(bot: BotRow, action: Exclude<Action, { do: 'again' }>): void | Promise<void> {
    const { botId } = bot;
    const { timers, preparations, orphans, output, queries, exposures, waiters, telemetry } = this.#parts;
    switch (action.do) {
      case 'record':
        return storeRecord(this.#parts, bot, action);
      case 'adopt':
        return this.#adopt(bot);
      case 'endOrphans':
        return this.#endOrphans(bot);
      case 'look':
        return this.step(botId, { is: 'look', trigger: action.trigger });
      case 'stop':
        return this.#with(bot, action.runId, (live) => this.#stop(live, action));
      case 'setTimer':
        return timers.set(botId, action.ms, () => this.#parts.tellSoon(botId, { is: 'look', trigger: 'recovery' }));
      case 'clearTimer':
        return timers.clear(botId);
      case 'prepare':
        return preparations.begin(bot, action.trigger, action.show);
      case 'prepareAhead':
        return preparations.ahead(bot);
      case 'leavePreparation':
        return preparations.end(botId);
      case 'start':
        return this.#start(bot, action);
      case 'launch':
        return this.#launch(bot, action);
      case 'startLater':
        return this.#parts.startLater(action.run, action.ms);
      case 'catchUp':
        return this.#parts.catchUp(action.run);
      case 'watch':
        return this.#with(bot, action.runId, async (live) => {
          if (action.startQuery) await queries.start(bot, live);
          exposures.watch(bot, live);
          this.#parts.begun?.(bot, live);
        });
      case 'log':
        return telemetry.hostLine(botId, action.level, action.message, action.runId);
      case 'collect':
        return this.#with(bot, action.runId, (live) => this.#watch.collect(bot, live));
      case 'drop':
        return this.#drop(bot, action.runId);
      case 'forget':
        orphans.leave(action.runId);
        return this.#drop(bot, action.runId);
      case 'removeOutput':
        return output.tidy(botId, action.runId);
      case 'collectLater':
        return output.drainLater(botId, action.runId);
      case 'erase':
        return eraseBot(this.#parts, bot);
      case 'answerWaiters':
        return waiters.gone(botId);
      case 'refuseWaiters':
        return waiters.notYet(botId);
    }
  }

  #with(bot: BotRow, runId: string, job: (live: LiveRun) => void | Promise<void>): void | Promise<void> {
    const live = this.#parts.live.of(bot.botId).find(({ run }) => run.runId === runId);
    return live === undefined ? undefined : job(live);
  }

  #stop(live: LiveRun, { intent, reason, again }: Extract<Action, { do: 'stop' }>): void {
    faultPoint('update:stopping');
    live.intent = intent;
    live.again = again;
    live.ending ??= this.#end(live, reason).catch((error: unknown) => {
      this.#parts.onError(`stop of ${live.botId}`, error);
    });
  }

  async #end(live: LiveRun, reason: StopReason | null): Promise<void> {
    if (reason !== null) await runStopHook(this.#parts, live, reason);
    await live.unit.stop(LIMITS.stopGraceMs);
  }

  #start(bot: BotRow, { trigger, change }: Extract<Action, { do: 'start' }>): Promise<void> {
    const { runs, journal, preparations, newRunId, now } = this.#parts;
    const unprepared = preparations.take(bot.botId);
    const run = newRun(bot, newRunId(), trigger, now());
    if (change !== null) journal.change(bot.botId, change, { runId: run.runId, also: () => runs.insert(run) });
    return this.#launch(bot, { run, unprepared });
  }

  async #launch(bot: BotRow, { run, unprepared }: Pick<Extract<Action, { do: 'launch' }>, 'run' | 'unprepared'>) {
    const { starter, live } = this.#parts;
    const came = await starter.start(bot, run, unprepared, live.of(bot.botId));
    if ('is' in came) return this.step(bot.botId, came);
    await this.#watch.enter(came.live, came.deadline);
    await this.step(bot.botId, { is: 'started', runId: run.runId });
  }

  async #adopt(bot: BotRow): Promise<void> {
    const { orphans, live } = this.#parts;
    for (const orphan of orphans.of(bot.botId, live.of(bot.botId))) {
      try {
        await this.#adoptOne(bot, orphan);
        orphans.settled(orphan);
      } catch (error) {
        orphans.failed(orphan, error);
      }
    }
  }

  async #adoptOne(bot: BotRow, orphan: Orphan): Promise<void> {
    const { orphans, queries } = this.#parts;
    const { run } = orphan;
    const found = await orphans.find(bot, orphan);
    if (found === null) {
      const drained = await orphans.drain(bot, run);
      return this.step(bot.botId, { is: 'gone', run, drained });
    }
    const live = liveRun(found);
    await this.#watch.enter(live, found.deadline);
    if (found.query !== null) await queries.enter(live, found.query);
    const asked = (await found.unit.stopAsked?.()) ?? null;
    await this.step(bot.botId, { is: 'found', runId: run.runId, hasQuery: found.query !== null, asked });
  }

  async #endOrphans(bot: BotRow): Promise<void> {
    const { orphans, live } = this.#parts;
    await orphans.end(orphans.of(bot.botId, live.of(bot.botId)));
    await this.#adopt(bot);
  }

  #drop(bot: BotRow, runId: string): void {
    faultPoint('update:ended');
    this.#with(bot, runId, (live) => this.#parts.live.remove(live));
  }
}
