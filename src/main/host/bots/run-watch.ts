import { LIMITS } from '../../../contract/limits.ts';
import { isUnwritable } from '../../../node/storage-error.ts';
import type { BotRow } from '../control/bot-store.ts';
import { clearTimers, type LiveRun, later } from './live-run.ts';
import type { PlanEvent } from './plan-types.ts';
import { runEnd } from './run-end.ts';
import type { SupervisorParts } from './supervisor-types.ts';

const QUERY_STOP_MS = 2000;
/** After this long a record that failed is tried again: the disk may have space by then. */
const AGAIN_MS = 5000;

/** Supervises programs that run: tells their bots of time-outs and ends. */
export class RunWatch {
  readonly #parts: SupervisorParts;
  readonly #step: (botId: string, event: PlanEvent) => Promise<void>;

  constructor(parts: SupervisorParts, step: (botId: string, event: PlanEvent) => Promise<void>) {
    this.#parts = parts;
    this.#step = step;
  }

  /** Supervises a program from now on. */
  async enter(live: LiveRun, deadline: number | null): Promise<void> {
    const { unit } = live;
    this.#parts.live.add(live);
    const ms = deadline === null ? null : Math.max(0, deadline - this.#parts.now());
    if (ms !== null) later(live, ms, () => this.#overtime(live));
    void unit.exited.then(() => this.#exited(live));
    await this.#parts.output.attach(live, unit, 'bot');
  }

  /** Does not wait for other work on the bot. */
  #overtime({ botId, run }: LiveRun): void {
    this.#step(botId, { is: 'overtime', runId: run.runId }).catch((error: unknown) => {
      this.#parts.onError(`time-out of ${botId}`, error);
    });
  }

  /** Records the end of a run; tries again until it is stored, because the bot is started again only after that. */
  #exited(live: LiveRun): void {
    const { mutex, bots } = this.#parts;
    const { botId, run } = live;
    const store = async (): Promise<void> => {
      clearTimers(live);
      await live.query?.stop(QUERY_STOP_MS);
      if (bots.get(botId) === null) this.#parts.live.remove(live);
      await this.#step(botId, { is: 'exited', runId: run.runId });
    };
    mutex.run(botId, store).catch((error: unknown) => this.#notStored(live, error));
  }

  #notStored(live: LiveRun, error: unknown): void {
    const { onError, bots, now, isClosing } = this.#parts;
    const { botId } = live;
    onError(`end of ${botId}`, error);
    if (!isClosing() && this.#parts.live.has(live)) later(live, AGAIN_MS, () => this.#exited(live));
    if (!isUnwritable(error)) return;
    try {
      bots.endIsOver(botId, now());
    } catch (fault) {
      onError(`end of ${botId}`, fault);
    }
  }

  /** Stores the last lines of a run, reads how it ended, and tells its bot. */
  async collect(bot: BotRow, live: LiveRun): Promise<void> {
    const drained = await this.#parts.output.drain(live.botId, live.run.runId);
    const exit = await live.unit.exited;
    // What became of its stop hook belongs to the end.
    await live.ending;
    const timeoutSec = bot.options.timeout_sec ?? LIMITS.runTimeoutMs / 1000;
    const end = await runEnd(live, exit, timeoutSec);
    const upMs = exit.endedAt - live.unit.startedAt;
    await this.#step(live.botId, { is: 'ended', run: live, end, upMs, drained });
  }
}
