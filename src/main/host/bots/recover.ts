import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../../node/remove-tree.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { RunStore } from '../control/run-store.ts';
import type { Telemetry } from '../logs/telemetry.ts';
import type { Launcher } from './launcher.ts';
import { drain, openOrphaned } from './orphans.ts';
import { botSecrets } from './redacted-config.ts';
import type { Supervisor } from './supervisor.ts';

export interface RecoverDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly launcher: Launcher;
  readonly telemetry: Telemetry;
  readonly supervisor: Supervisor;
  /** The folder that holds one folder per instance. */
  readonly botsDir: string;
  /** Folder for the folders that no instance owns. */
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
  await openOrphaned(d, bot);
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
 * Sets folders aside that no instance owns: deleted instances leave none, so the control database is older than they
 * are, and their state and logs belong to a user.
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
async function attempt(d: Pick<RecoverDeps, 'onError'>, what: string, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    d.onError(what, error);
  }
}

/**
 * Takes over the bots of an earlier host. Stored lines are masked with today's secrets on every read, and expire by
 * age. The host ends orphaned programs, adopts running ones with their output in place, records ended ones, runs
 * decided due times, and starts every enabled bot. A failure of one bot is reported and keeps no other down.
 */
export async function recover(d: RecoverDeps): Promise<void> {
  d.telemetry.maskReads((botId) => {
    const bot = d.bots.get(botId);
    return bot === null ? [] : botSecrets(d.launcher, bot);
  });
  const units = d.runs.units();
  const known = new Set(units.map((unit) => unit.runId));
  await attempt(d, 'orphaned programs', async () => {
    const ended = await d.launcher.engines.endOrphans((runId) => known.has(runId), d.onError);
    if (ended.length > 0) d.onError('orphaned programs', new Error(`Ended: ${ended.join(', ')}`));
  });
  const all = d.bots.all();
  await attempt(d, 'left-over folders', () => setAside(d, new Set(all.map((bot) => bot.botId))));
  d.telemetry.know(all.map((bot) => bot.botId));
  const unfinished = new Set(d.runs.unfinished().map((run) => run.runId));
  for (const bot of all) await attempt(d, `left-over runs of ${bot.botId}`, () => sweepRuns(d, bot, unfinished));
  await recoverBots(d, known);
}

/** As `recover`, for programs alone; `known`: runs whose programs were stored before this host started any. */
export async function recoverBots(
  d: Pick<RecoverDeps, 'bots' | 'runs' | 'supervisor' | 'onError'>,
  known: ReadonlySet<string>,
): Promise<void> {
  const { bots, runs, supervisor } = d;
  // Asked before anything is taken over: a program that ends right then has a successor, which this host has started.
  const unstarted = runs.unfinished().filter(({ runId }) => !known.has(runId));
  for (const { botId } of bots.all())
    await attempt(d, `programs of ${botId}`, () => supervisor.tell(botId, () => ({ is: 'takeOver' })));
  for (const run of unstarted) {
    await attempt(d, `run ${run.runId} of ${run.botId}`, () => {
      return supervisor.tell(run.botId, () => ({ is: 'unstarted', run }));
    });
  }
  for (const { botId } of bots.all())
    await attempt(d, `start of ${botId}`, () => supervisor.tell(botId, () => ({ is: 'hostStarted' })));
}
