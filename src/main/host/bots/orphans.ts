import { existsSync } from 'node:fs';
import type { BotRow } from '../control/bot-store.ts';
import type { RunRow, RunStore, UnitRow } from '../control/run-store.ts';
import type { Unit, UnitSpec } from '../engine/engine.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import type { LiveRun } from './live-run.ts';
import { type SomeRun, spoolFile } from './run-output.ts';
import type { BotFolders, Prepared, UnitSpecs } from './unit-spec.ts';

/** A run of an earlier host, found again. */
export interface FoundRun {
  readonly run: RunRow;
  readonly unit: Unit;
  readonly query: Unit | null;
  /** Name of the engine that started it. */
  readonly engine: string;
  readonly prepared: Prepared | null;
  readonly epoch: number;
  readonly secrets: readonly string[];
  readonly queryToken: string | null;
  readonly deadline: number | null;
}

/** A run whose programs the control database knows and this host does not supervise. */
export interface Orphan {
  readonly run: RunRow;
  readonly units: readonly UnitRow[];
}

export interface OrphansDeps {
  readonly runs: RunStore;
  readonly unitSpecs: UnitSpecs;
  readonly telemetry: Telemetry;
  readonly folders: BotFolders;
  readonly onError: (where: string, error: unknown) => void;
}

/** A bot's code with its config; null, and reported, when its version cannot be opened or its config is not valid. */
function prepare(d: Pick<OrphansDeps, 'unitSpecs' | 'onError'>, bot: BotRow): Prepared | null {
  try {
    return d.unitSpecs.prepare(bot);
  } catch (error) {
    d.onError(`version of ${bot.botId}`, error);
    return null;
  }
}

/** Sets the secrets to mask in left-over output: those of the programs' start, and those of the present config. */
export async function openOrphaned(
  d: Pick<OrphansDeps, 'unitSpecs' | 'onError' | 'runs' | 'telemetry'>,
  bot: BotRow,
): Promise<{ readonly prepared: Prepared | null; readonly secrets: readonly string[] }> {
  const prepared = prepare(d, bot);
  const units = d.runs.unitsOf(bot.botId);
  const started = units.flatMap((unit) => d.unitSpecs.runSecrets(bot, unit.secrets, unit.runId));
  const secrets = [...new Set([...started, ...(prepared?.secrets ?? [])])];
  await d.telemetry.openBot(bot.botId, secrets);
  return { prepared, secrets };
}

/** Stores output that could not be stored before, e.g. because the disk was full. Its bot was opened by openOrphaned. */
export async function drain(
  d: Pick<OrphansDeps, 'unitSpecs' | 'telemetry'>,
  run: SomeRun,
  runDir: string,
): Promise<void> {
  for (const role of ['bot', 'query'] as const) {
    for (const output of d.unitSpecs.engines.outputs(runDir, role)) {
      if (existsSync(output.path)) await d.telemetry.attach(spoolFile(run, role, output));
    }
  }
  await d.telemetry.finish(run.botId, run.runId);
}

function parsed(handle: string): unknown {
  try {
    return JSON.parse(handle);
  } catch {
    return null;
  }
}

/**
 * Orphans: programs that the control database knows and this host does not supervise. An earlier host left them, or a step that
 * failed half-way. Finds them and ends them; the plan decides what becomes of a bot with an orphan.
 */
export class Orphans {
  readonly #deps: OrphansDeps;
  /** Found units of runs that are not taken over as a whole yet: however often it is tried, one object looks after one program. */
  readonly #found = new Map<string, Unit>();
  /** Runs of leaving bots whose programs have ended: they go with their bots, unrecorded. */
  readonly #over = new Set<string>();
  /** The last report about a run, since each is retried every few seconds. */
  readonly #reported = new Map<string, string>();

  constructor(deps: OrphansDeps) {
    this.#deps = deps;
  }

  /** The orphans of a bot, given its supervised runs. */
  of(botId: string, live: readonly LiveRun[]): readonly Orphan[] {
    const { runs } = this.#deps;
    const units = runs.unitsOf(botId);
    if (units.length === 0) return [];
    const supervised = new Set(live.map(({ run }) => run.runId));
    return [...Map.groupBy(units, (unit) => unit.runId)].flatMap(([runId, own]) => {
      const run = runs.get(runId);
      const isOver = run === null || run.endedAt !== null || supervised.has(runId) || this.#over.has(runId);
      return isOver ? [] : [{ run, units: own }];
    });
  }

  /**
   * Finds the program of an orphan; null when it is gone for sure. Throws while it may run: only the engine that started
   * it can tell.
   */
  async find(bot: BotRow, { run, units }: Orphan): Promise<FoundRun | null> {
    const { prepared, secrets } = await openOrphaned(this.#deps, bot);
    const find = (role: UnitRow['role']): Promise<Unit | null> => {
      const row = units.find((unit) => unit.role === role);
      return row === undefined ? Promise.resolve(null) : this.#find(bot, row, prepared);
    };
    const unit = await find('bot');
    const query = await find('query');
    const row = units.find((one) => one.role === 'bot');
    if (row !== undefined && unit !== null) {
      const { engine, epoch, deadline } = row;
      const queryToken = this.#deps.unitSpecs.queryToken(bot, row.runId);
      return { run, unit, query, engine, prepared, epoch, secrets, queryToken, deadline };
    }
    await query?.stop(0);
    return null;
  }

  /**
   * Stores the last lines of an orphan that is gone; false when the log cannot be written now. The lines of a deleted bot are
   * not needed.
   */
  async drain(bot: BotRow, run: RunRow): Promise<boolean> {
    if (bot.deleting) return false;
    try {
      await drain(this.#deps, run, this.#deps.folders.run(bot.botId, run.runId));
      return true;
    } catch (error) {
      this.#deps.onError(`last lines of ${bot.botId}`, error);
      return false;
    }
  }

  /** The orphan is supervised from now on, or recorded as gone. */
  settled({ run, units }: Orphan): void {
    for (const { role } of units) this.#found.delete(`${run.runId} ${role}`);
    this.#reported.delete(run.runId);
  }

  /** The orphan could not be taken over; each cause is reported once. */
  failed({ run }: Orphan, error: unknown): void {
    const text = String(error);
    if (this.#reported.get(run.runId) === text) return;
    this.#reported.set(run.runId, text);
    this.#deps.onError(`run ${run.runId} of ${run.botId}`, error);
  }

  /** Ends orphans that cannot be taken over, as far as their engines find them. */
  async end(orphans: readonly Orphan[]): Promise<void> {
    const ending = new Set(orphans.map(({ run }) => run.runId));
    const isKnown = (runId: string): boolean => !ending.has(runId);
    await this.#deps.unitSpecs.engines.endOrphans(isKnown, this.#deps.onError);
  }

  /** The programs of a run of a bot that is being deleted have ended. */
  leave(runId: string): void {
    this.#over.add(runId);
  }

  /** The bot is gone, with its runs. */
  forget(botId: string): void {
    for (const { runId } of this.#deps.runs.unitsOf(botId)) this.#over.delete(runId);
  }

  async #find(bot: BotRow, row: UnitRow, prepared: Prepared | null): Promise<Unit | null> {
    const engine = this.#deps.unitSpecs.engines.get(row.engine);
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
    const { unitSpecs } = this.#deps;
    const spec = prepared === null ? null : unitSpecs.knownSpec(bot, prepared, runId, role);
    return spec ?? unitSpecs.bareSpec(bot, runId, role);
  }
}
