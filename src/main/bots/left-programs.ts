import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { removeTree } from '../base/remove-tree.ts';
import type { Unit, UnitSpec } from '../engine/engine.ts';
import type { BotRow, BotStore } from '../store/bot-store.ts';
import type { RunRow, RunStore, UnitRow } from '../store/run-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Journal } from './journal.ts';
import type { BotFolders, Launcher, Prepared } from './launcher.ts';
import type { LiveRun } from './live-run.ts';
import { reason } from './reasons.ts';

/** A run of an earlier host, found again. */
export interface FoundRun {
  readonly run: RunRow;
  readonly unit: Unit;
  readonly query: Unit | null;
  /** Name of the engine that started it. */
  readonly engine: string;
  readonly prepared: Prepared | null;
  readonly generation: number;
  readonly secrets: readonly string[];
  readonly deadline: number | null;
}

export interface LeftProgramsDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly journal: Journal;
  readonly launcher: Launcher;
  readonly telemetry: Telemetry;
  readonly folders: BotFolders & { bot(botId: string): string };
  /** Runs of a bot that are looked after. */
  readonly liveRuns: (botId: string) => readonly LiveRun[];
  /** Looks after a run from now on. */
  readonly enter: (bot: BotRow, found: FoundRun) => Promise<void>;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/** The bot has a program that could not be taken over. */
export const NOT_ADOPTED = 'NOT_ADOPTED';

/** True for a bot that is not started because a program of it may still run. */
export function isStuck(bot: BotRow): boolean {
  return bot.status === 'failed' && bot.reason?.code === NOT_ADOPTED;
}

/** A bot's code with its config; null, and reported, when its version cannot be opened or its config is not valid. */
function prepare(d: Pick<LeftProgramsDeps, 'launcher' | 'onError'>, bot: BotRow): Prepared | null {
  try {
    return d.launcher.prepare(bot);
  } catch (error) {
    d.onError(`version of ${bot.botId}`, error);
    return null;
  }
}

/** Sets what is masked in left-over output: the secrets that the programs were started with, and those of the config now. */
export async function openLeft(
  d: Pick<LeftProgramsDeps, 'launcher' | 'onError' | 'runs' | 'telemetry'>,
  bot: BotRow,
): Promise<{ readonly prepared: Prepared | null; readonly secrets: readonly string[] }> {
  const prepared = prepare(d, bot);
  const started = d.runs.unitsOf(bot.botId).flatMap((unit) => unit.secrets);
  const secrets = [...new Set([...started, ...(prepared?.secrets ?? [])])];
  await d.telemetry.openBot(bot.botId, secrets);
  return { prepared, secrets };
}

/** Stores output that could not be stored before, e.g. because the disk was full. Its bot was opened by openLeft. */
export async function drain(
  d: Pick<LeftProgramsDeps, 'launcher' | 'telemetry'>,
  botId: string,
  runId: string,
  runDir: string,
): Promise<void> {
  for (const role of ['bot', 'query'] as const) {
    for (const { path, stream } of d.launcher.engines.outputs(runDir, role)) {
      if (!existsSync(path)) continue;
      await d.telemetry.attach({ botId, runId, path, source: role === 'query' ? 'query' : stream });
    }
  }
  await d.telemetry.finish(botId, runId);
}

function parsed(handle: string): unknown {
  try {
    return JSON.parse(handle);
  } catch {
    return null;
  }
}

/**
 * Programs that the control database knows and this host does not look after: left by an earlier host, or by a step that
 * failed half-way. Nothing is started for a bot that has one, because a second copy must never run beside the first.
 */
export class LeftPrograms {
  readonly #d: LeftProgramsDeps;
  /** Found units of runs that are not taken over as a whole yet: however often it is tried, one object looks after one program. */
  readonly #found = new Map<string, Unit>();
  /** What was reported last of a run: it is tried again every few seconds. */
  readonly #reported = new Map<string, string>();

  constructor(deps: LeftProgramsDeps) {
    this.#d = deps;
  }

  /**
   * Clears the way for the next step of a bot: true when no program of it can run that nobody looks after. A bot that is
   * being deleted has what cannot be taken over ended. Must run while nothing else happens to the bot.
   */
  async clear(bot: BotRow, closing: boolean): Promise<boolean> {
    if (this.#d.liveRuns(bot.botId).length > 0) return true;
    if (closing) return this.#left(bot.botId).length === 0;
    const taken = await this.takeOver(bot);
    if (taken || !bot.deleting) return taken;
    const ending = new Set(this.#left(bot.botId).map(([run]) => run.runId));
    const isKnown = (runId: string): boolean => !ending.has(runId);
    await this.#d.launcher.engines.endStrays(dirname(this.#d.folders.bot(bot.botId)), isKnown, this.#d.onError);
    return this.takeOver(bot);
  }

  /**
   * Takes over the programs of a bot, or records the end of those that are gone. False when one may still run; then the bot
   * has failed, unless another program of it is looked after. Must run while nothing else happens to the bot.
   */
  async takeOver(bot: BotRow): Promise<boolean> {
    let clear = true;
    for (const [run, units] of this.#left(bot.botId)) {
      try {
        await this.#takeOver(bot, run, units);
        this.#reported.delete(run.runId);
      } catch (error) {
        clear = false;
        this.#report(run, error);
      }
    }
    this.#tell(bot.botId, clear);
    return clear;
  }

  #left(botId: string): [RunRow, UnitRow[]][] {
    const { runs, liveRuns } = this.#d;
    const units = runs.unitsOf(botId);
    if (units.length === 0) return [];
    const live = new Set(liveRuns(botId).map(({ run }) => run.runId));
    return [...Map.groupBy(units, (unit) => unit.runId)].flatMap(([runId, own]) => {
      const run = runs.get(runId);
      return run === null || run.endedAt !== null || live.has(runId) ? [] : [[run, own]];
    });
  }

  async #takeOver(bot: BotRow, run: RunRow, units: readonly UnitRow[]): Promise<void> {
    const { prepared, secrets } = await openLeft(this.#d, bot);
    const find = (role: UnitRow['role']): Promise<Unit | null> => {
      const row = units.find((unit) => unit.role === role);
      return row === undefined ? Promise.resolve(null) : this.#find(bot, row, prepared);
    };
    const unit = await find('bot');
    const query = await find('query');
    const row = units.find((one) => one.role === 'bot');
    if (row === undefined || unit === null) {
      await query?.stop(0);
      await this.#lost(bot, run);
    } else {
      const { engine, generation, deadline } = row;
      await this.#d.enter(bot, { run, unit, query, engine, prepared, generation, secrets, deadline });
    }
    for (const { role } of units) this.#found.delete(`${run.runId} ${role}`);
  }

  /**
   * Null when the program is gone for sure and cannot be found by its handle. Throws when it may run: only the engine that
   * started it can tell.
   */
  async #find(bot: BotRow, row: UnitRow, prepared: Prepared | null): Promise<Unit | null> {
    const engine = this.#d.launcher.engines.get(row.engine);
    const key = `${row.runId} ${row.role}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const spec = this.#spec(bot, row, prepared);
    try {
      const unit = await engine.adopt(spec, JSON.parse(row.handle));
      this.#found.set(key, unit);
      return unit;
    } catch (error) {
      if (await engine.isGone(spec, parsed(row.handle))) return null;
      throw error;
    }
  }

  #spec(bot: BotRow, { runId, role }: UnitRow, prepared: Prepared | null): UnitSpec {
    const { launcher } = this.#d;
    const spec = prepared === null ? null : launcher.spec(bot, prepared, runId, role);
    return spec ?? launcher.bareSpec(bot, runId, role);
  }

  /** The program ended and nobody saw how. Its units stay as long as lines of it are not stored: they hold its secrets. */
  async #lost(bot: BotRow, { runId }: RunRow): Promise<void> {
    const { runs, journal, folders, now, onError } = this.#d;
    const dir = folders.run(bot.botId, runId);
    let stored = false;
    try {
      await drain(this.#d, bot.botId, runId, dir);
      stored = true;
    } catch (error) {
      onError(`last lines of ${bot.botId}`, error);
    }
    const at = now();
    const why = reason('LOST', 'Ended while nothing could see how', 'It could not be taken over before.', at);
    const end = { status: 'lost', endedAt: at, exitCode: null, signal: null, result: null, reason: why } as const;
    const also = (): void => {
      runs.end(runId, end);
      if (stored) runs.removeUnits(runId);
    };
    journal.change(bot.botId, {}, { kind: 'run', runId, also });
    if (stored) await removeTree(dir).catch((error: unknown) => onError(`remove ${dir}`, error));
  }

  /** The record of the bot says whether it is held back. */
  #tell(botId: string, clear: boolean): void {
    const { bots, journal, liveRuns, now } = this.#d;
    const bot = bots.get(botId);
    if (bot === null || bot.deleting) return;
    const runs = liveRuns(botId).length > 0;
    if (clear || runs) {
      // Somebody may have asked for a start of what was taken over just now.
      if (!isStuck(bot) && !(runs && bot.status === 'starting')) return;
      const status = runs ? 'running' : bot.type === 'scheduled' ? 'scheduled' : 'starting';
      journal.change(botId, { status, reason: null, failures: 0, nextAttemptAt: null });
    } else if (!isStuck(bot)) {
      const message = 'A program of this bot from before could not be taken over, and may still run';
      const hint =
        'The host log says why. It is tried again every few seconds; once you end that program the bot can start.';
      journal.change(botId, {
        status: 'failed',
        reason: reason(NOT_ADOPTED, message, hint, now()),
        nextAttemptAt: null,
      });
    }
  }

  #report(run: RunRow, error: unknown): void {
    const text = String(error);
    if (this.#reported.get(run.runId) === text) return;
    this.#reported.set(run.runId, text);
    this.#d.onError(`run ${run.runId} of ${run.botId}`, error);
  }
}
