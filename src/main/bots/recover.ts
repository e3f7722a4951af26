import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../base/remove-tree.ts';
import { CATCH_UP_MS } from '../schedule/due.ts';
import type { BotRow, BotStore } from '../store/bot-store.ts';
import type { RunRow, RunStore } from '../store/run-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Journal } from './journal.ts';
import type { Launcher } from './launcher.ts';
import { drain, isStuck, openLeft } from './left-programs.ts';
import { reason } from './reasons.ts';
import { botSecrets } from './shown-config.ts';
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

/**
 * Tidies the runs of a bot that are over, before any is started: their last lines are stored, masked with the secrets that
 * they were started with. A run whose output cannot be stored stays for the next time.
 */
async function sweepRuns(d: RecoverDeps, bot: BotRow, unfinished: ReadonlySet<string>): Promise<void> {
  const runs = join(d.botsDir, bot.botId, 'runs');
  const over = (await names(runs)).filter((runId) => !unfinished.has(runId));
  if (over.length === 0) return;
  await openLeft(d, bot);
  for (const runId of over) {
    await attempt(d, `left-over run ${runId} of ${bot.botId}`, async () => {
      const dir = join(runs, runId);
      await drain(d, bot.botId, runId, dir);
      d.runs.removeUnits(runId);
      await removeTree(dir);
    });
  }
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

/** Does one step; what fails is reported and in no other bot's way. */
async function attempt(d: RecoverDeps, what: string, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    d.onError(what, error);
  }
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

/**
 * Puts a host that starts back in charge of what an earlier one left behind: stored lines are masked with the secrets of
 * today whenever they are read, and go when they are too old, programs that nobody knows are ended, running ones are adopted with their output where it
 * was, ended ones are recorded, decided due times are run, and every enabled bot is brought up. What fails for one bot is
 * reported and keeps no other bot down.
 */
export async function recover(d: RecoverDeps): Promise<void> {
  d.telemetry.maskReads((botId) => {
    const bot = d.bots.get(botId);
    return bot === null ? [] : botSecrets(d.launcher, bot);
  });
  const units = d.runs.units();
  const known = new Set(units.map((unit) => unit.runId));
  await attempt(d, 'programs that nobody knows', async () => {
    const ended = await d.launcher.engines.endStrays(d.botsDir, (runId) => known.has(runId), d.onError);
    if (ended.length > 0) d.onError('programs that nobody knows', new Error(`Ended: ${ended.join(', ')}`));
  });
  const all = d.bots.all();
  await attempt(d, 'left-over folders', () => setAside(d, new Set(all.map((bot) => bot.botId))));
  d.telemetry.know(all.map((bot) => bot.botId));
  const unfinished = new Set(d.runs.unfinished().map((run) => run.runId));
  for (const bot of all) await attempt(d, `left-over runs of ${bot.botId}`, () => sweepRuns(d, bot, unfinished));
  for (const bot of all) await attempt(d, `programs of ${bot.botId}`, () => d.supervisor.takeOver(bot.botId));
  const pending: RunRow[] = [];
  for (const run of d.runs.unfinished()) {
    const bot = d.bots.get(run.botId);
    if (bot === null || known.has(run.runId)) continue;
    await attempt(d, `run ${run.runId} of ${run.botId}`, () => {
      const again = settleUnstarted(d, bot, run);
      if (again !== null) pending.push(again);
    });
  }
  for (const run of pending) d.supervisor.startRun(run).catch((error: unknown) => d.onError(`run ${run.runId}`, error));
  for (const bot of d.bots.all()) {
    await attempt(d, `start of ${bot.botId}`, async () => {
      // Whatever kept it from starting may have been put right while the host was down.
      if (bot.status === 'failed' && bot.enabled && !isStuck(bot))
        d.journal.change(bot.botId, { status: 'starting', reason: null, failures: 0 });
      await d.supervisor.reconcile(bot.botId, 'boot');
    });
  }
}
