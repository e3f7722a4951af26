import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../base/remove-tree.ts';
import type { Unit, UnitSpec } from '../engine/engine.ts';
import { CATCH_UP_MS } from '../schedule/due.ts';
import type { BotRow, BotStore } from '../store/bot-store.ts';
import type { RunRow, RunStore, UnitRow } from '../store/run-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Journal } from './journal.ts';
import type { Launcher, Prepared } from './launcher.ts';
import { reason } from './reasons.ts';
import type { Supervisor } from './supervisor.ts';

export interface RecoverDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly journal: Journal;
  readonly launcher: Launcher;
  readonly telemetry: Telemetry;
  readonly supervisor: Supervisor;
  /** The folder that holds one folder per instance. */
  readonly botsDir: string;
  /** Where folders go that no instance owns. */
  readonly asideDir: string;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

async function names(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Output that an earlier host could not store any more, e.g. because the disk was full, is stored now. */
async function drain(d: RecoverDeps, botId: string, runId: string, runDir: string): Promise<void> {
  for (const role of ['bot', 'query'] as const) {
    for (const { path, stream } of d.launcher.engine.outputs(runDir, role)) {
      if (!existsSync(path)) continue;
      await d.telemetry.attach({ botId, runId, path, source: role === 'query' ? 'query' : stream });
    }
  }
  await d.telemetry.finish(botId, runId);
}

/**
 * Tidies the runs of a bot that are over, before any is started: their last lines are stored, masked with the secrets that
 * they were started with. A run whose output cannot be stored stays for the next time.
 */
async function sweepRuns(d: RecoverDeps, bot: BotRow, units: readonly UnitRow[]): Promise<void> {
  const runs = join(d.botsDir, bot.botId, 'runs');
  const unfinished = new Set(d.runs.unfinished().map((run) => run.runId));
  const over = (await names(runs)).filter((runId) => !unfinished.has(runId));
  if (over.length === 0) return;
  await d.telemetry.openBot(bot.botId, secretsOf(d, bot, units));
  for (const runId of over) {
    await attempt(d, `left-over run ${runId} of ${bot.botId}`, async () => {
      const dir = join(runs, runId);
      await drain(d, bot.botId, runId, dir);
      d.runs.removeUnits(runId);
      await removeTree(dir);
    });
  }
}

/** Every secret that output of this bot may hold: of its programs, as they were started, and of its config now. */
function secretsOf(d: RecoverDeps, bot: BotRow, units: readonly UnitRow[]): string[] {
  const known = new Set(units.filter((unit) => unit.botId === bot.botId).flatMap((unit) => unit.secrets));
  try {
    for (const secret of d.launcher.prepare(bot).secrets) known.add(secret);
  } catch (error) {
    d.onError(`version of ${bot.botId}`, error);
  }
  return [...known];
}

/**
 * Sets folders aside that no instance owns: a deleted instance leaves none, so the control database is older than they are.
 * What they hold (state, logs) is somebody's.
 */
async function setAside(d: RecoverDeps, known: ReadonlySet<string>): Promise<void> {
  for (const name of await names(d.botsDir)) {
    if (known.has(name)) continue;
    await attempt(d, `unknown folder ${name}`, async () => {
      await mkdir(d.asideDir, { recursive: true, mode: 0o700 });
      const to = join(d.asideDir, `${name}-${d.now()}`);
      await rename(join(d.botsDir, name), to);
      d.onError(`unknown folder ${name}`, new Error(`No bot owns it; it was moved to ${to}`));
    });
  }
}

/** Does one step; what fails is reported and in no other bot's way. False when it failed. */
async function attempt(d: RecoverDeps, what: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    d.onError(what, error);
    return false;
  }
}

function specFor(
  d: RecoverDeps,
  bot: BotRow,
  prepared: Prepared | null,
  runId: string,
  role: UnitRow['role'],
): UnitSpec {
  const spec = prepared === null ? null : d.launcher.spec(bot, prepared, runId, role);
  return spec ?? d.launcher.bareSpec(bot, runId, role);
}

async function adoptRun(
  d: RecoverDeps,
  bot: BotRow,
  run: RunRow,
  units: readonly UnitRow[],
  all: readonly UnitRow[],
): Promise<void> {
  let prepared: Prepared | null = null;
  try {
    prepared = d.launcher.prepare(bot);
  } catch (error) {
    d.onError(`version of ${bot.botId}`, error);
  }
  const secrets = [...new Set(units.flatMap((unit) => unit.secrets))];
  await d.telemetry.openBot(bot.botId, secretsOf(d, bot, all));
  const take = async (role: UnitRow['role']): Promise<Unit | null> => {
    const row = units.find((unit) => unit.role === role);
    if (row === undefined) return null;
    return d.launcher.engine.adopt(specFor(d, bot, prepared, run.runId, role), JSON.parse(row.handle));
  };
  const unit = await take('bot');
  const row = units.find((one) => one.role === 'bot');
  if (unit === null || row === undefined) return;
  await d.supervisor.adopt(bot, run, unit, await take('query'), prepared, row.generation, secrets, row.deadline);
}

/** A due time that the host was restarted over is not missed: it runs this much late even where missed ones are not caught up. */
const LATE_MS = 60_000;

/**
 * A run that was decided but whose program never began: a due time still runs unless it is too old by now, anything else
 * is told as it is.
 */
function settleUnstarted(d: RecoverDeps, bot: BotRow, run: RunRow): RunRow | null {
  const now = d.now();
  const late = bot.options.catch_up === 'skip' ? LATE_MS : CATCH_UP_MS;
  if (run.slot !== null && now - run.slot < late) return run;
  const why = reason('NOT_STARTED', 'The host ended before this run began; the bot did not run', null, now);
  const status = run.slot === null ? 'lost' : 'skipped';
  d.runs.end(run.runId, { status, endedAt: now, exitCode: null, signal: null, result: null, reason: why });
  return null;
}

/** Adopts a run, or settles one that never began. Gives the run back when it must be started now. */
async function takeOver(d: RecoverDeps, bot: BotRow, run: RunRow, all: readonly UnitRow[]): Promise<RunRow | null> {
  const units = all.filter((unit) => unit.runId === run.runId);
  if (units.length === 0) return settleUnstarted(d, bot, run);
  await adoptRun(d, bot, run, units, all);
  return null;
}

/** A bot with a program that could not be taken over is not started: a second one must never run beside the first. */
function cannotAdopt(d: RecoverDeps, bot: BotRow): void {
  const message = 'A program of this bot from before could not be taken over, and may still run';
  const why = reason('NOT_ADOPTED', message, 'The host log says why. End that program, then start the bot.', d.now());
  d.journal.change(bot.botId, { status: 'failed', reason: why });
}

/**
 * Puts a host that starts back in charge of what an earlier one left behind: programs that nobody knows are ended, running
 * ones are adopted with their output where it was, ended ones are recorded, decided due times are run, and every enabled
 * bot is brought up. What fails for one bot is reported and keeps no other bot down.
 */
export async function recover(d: RecoverDeps): Promise<void> {
  const units = d.runs.units();
  const known = new Set(units.map((unit) => unit.runId));
  await attempt(d, 'programs that nobody knows', async () => {
    const ended = await d.launcher.engine.endStrays(d.botsDir, (runId) => known.has(runId));
    if (ended.length > 0) d.onError('programs that nobody knows', new Error(`Ended: ${ended.join(', ')}`));
  });
  const all = d.bots.all();
  await attempt(d, 'left-over folders', () => setAside(d, new Set(all.map((bot) => bot.botId))));
  for (const bot of all) await attempt(d, `left-over runs of ${bot.botId}`, () => sweepRuns(d, bot, units));
  const stuck = new Set<string>();
  const pending: RunRow[] = [];
  for (const run of d.runs.unfinished()) {
    const bot = d.bots.get(run.botId);
    if (bot === null) continue;
    const taken = await attempt(d, `run ${run.runId} of ${run.botId}`, async () => {
      const again = await takeOver(d, bot, run, units);
      if (again !== null) pending.push(again);
    });
    if (!taken) stuck.add(bot.botId);
  }
  for (const run of pending) d.supervisor.startRun(run).catch((error: unknown) => d.onError(`run ${run.runId}`, error));
  for (const bot of d.bots.all()) {
    await attempt(d, `start of ${bot.botId}`, async () => {
      if (stuck.has(bot.botId)) return cannotAdopt(d, bot);
      // Whatever kept it from starting may have been put right while the host was down.
      if (bot.status === 'failed' && bot.enabled)
        d.journal.change(bot.botId, { status: 'starting', reason: null, failures: 0 });
      await d.supervisor.reconcile(bot.botId, 'boot');
    });
  }
}
