import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
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

/** Removes folders of instances that no longer exist, and of runs that nobody will finish. */
async function sweep(d: RecoverDeps, known: ReadonlySet<string>, kept: ReadonlySet<string>): Promise<void> {
  for (const botId of await names(d.botsDir)) {
    if (!known.has(botId)) {
      await rm(join(d.botsDir, botId), { recursive: true, force: true });
      continue;
    }
    const runs = join(d.botsDir, botId, 'runs');
    for (const runId of await names(runs)) {
      if (!kept.has(runId)) await rm(join(runs, runId), { recursive: true, force: true });
    }
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

async function adoptRun(d: RecoverDeps, bot: BotRow, run: RunRow, units: readonly UnitRow[]): Promise<void> {
  let prepared: Prepared | null = null;
  try {
    prepared = d.launcher.prepare(bot);
  } catch (error) {
    d.onError(`version of ${bot.botId}`, error);
  }
  await d.telemetry.openBot(bot.botId, prepared?.secrets ?? []);
  const take = async (role: UnitRow['role']): Promise<Unit | null> => {
    const row = units.find((unit) => unit.role === role);
    if (row === undefined) return null;
    return d.launcher.engine.adopt(specFor(d, bot, prepared, run.runId, role), JSON.parse(row.handle));
  };
  const unit = await take('bot');
  const row = units.find((one) => one.role === 'bot');
  if (unit === null || row === undefined) return;
  await d.supervisor.adopt(bot, run, unit, await take('query'), prepared, row.generation, row.deadline);
}

/**
 * A run that was decided but whose program never began: a due time still runs unless it is too old by now, anything else
 * is told as it is.
 */
function settleUnstarted(d: RecoverDeps, run: RunRow): RunRow | null {
  const now = d.now();
  if (run.slot !== null && now - run.slot < CATCH_UP_MS) return run;
  const why = reason('NOT_STARTED', 'The host ended before this run began; the bot did not run', null, now);
  const status = run.slot === null ? 'lost' : 'skipped';
  d.runs.end(run.runId, { status, endedAt: now, exitCode: null, signal: null, result: null, reason: why });
  return null;
}

/**
 * Puts a host that starts back in charge of what an earlier one left behind: running programs are adopted with their
 * output where it was, ended ones are recorded, decided due times are run, and every enabled bot is brought up.
 */
export async function recover(d: RecoverDeps): Promise<void> {
  const all = d.bots.all();
  const units = Map.groupBy(d.runs.units(), (unit) => unit.runId);
  await sweep(d, new Set(all.map((bot) => bot.botId)), new Set(units.keys()));
  const pending: RunRow[] = [];
  for (const run of d.runs.unfinished()) {
    const bot = d.bots.get(run.botId);
    if (bot === null) continue;
    const own = units.get(run.runId);
    if (own !== undefined) await adoptRun(d, bot, run, own);
    else {
      const again = settleUnstarted(d, run);
      if (again !== null) pending.push(again);
    }
  }
  for (const run of pending) d.supervisor.startRun(run).catch((error: unknown) => d.onError(`run ${run.runId}`, error));
  for (const bot of d.bots.all()) {
    // Whatever kept it from starting may have been put right while the host was down.
    if (bot.status === 'failed' && bot.enabled)
      d.journal.change(bot.botId, { status: 'starting', reason: null, failures: 0 });
    await d.supervisor.reconcile(bot.botId, 'boot');
  }
}
