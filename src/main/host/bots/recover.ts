import { readdirSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../../node/remove-tree.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import { yieldingForEach } from '../../../node/yielding-for-each.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { RunRow, RunStore } from '../control/run-store.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import { drain, openOrphaned } from './orphans.ts';
import { botSecrets } from './redacted-config.ts';
import type { Supervisor } from './supervisor.ts';
import type { UnitSpecs } from './unit-spec.ts';

export interface RecoverDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly unitSpecs: UnitSpecs;
  readonly telemetry: Telemetry;
  readonly supervisor: Supervisor;
  /** The folder that holds one folder per instance. */
  readonly botsDir: string;
  /** Folder for the folders that no instance owns. */
  readonly asideDir: string;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

function names(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Finds the runs that are over and have left a folder, of many bots that mostly have none. */
async function overRuns(deps: RecoverDeps, bots: readonly BotRow[]): Promise<ReadonlyMap<BotRow, readonly string[]>> {
  const unfinished = new Set(deps.runs.unfinished().map((run) => run.runId));
  const found = new Map<BotRow, readonly string[]>();
  await yieldingForEach(bots, (bot) => {
    try {
      const over = names(join(deps.botsDir, bot.botId, 'runs')).filter((runId) => !unfinished.has(runId));
      if (over.length > 0) found.set(bot, over);
    } catch (error) {
      deps.onError(`left-over runs of ${bot.botId}`, error);
    }
  });
  return found;
}

/**
 * Tidies the runs of a bot that are over, before any is started: their last lines are stored, masked with the secrets that
 * they were started with. A run whose output cannot be stored stays for the next time.
 */
async function sweepRuns(deps: RecoverDeps, bot: BotRow, over: readonly string[]): Promise<void> {
  const runs = join(deps.botsDir, bot.botId, 'runs');
  await openOrphaned(deps, bot);
  for (const runId of over) {
    await attempt(deps, `left-over run ${runId} of ${bot.botId}`, async () => {
      const dir = join(runs, runId);
      await drain(deps, deps.runs.get(runId) ?? { botId: bot.botId, runId }, dir);
      deps.runs.removeUnits(runId);
      await removeTree(dir);
    });
  }
}

/**
 * Sets folders aside that no instance owns: deleted instances leave none, so the control database is older than they
 * are, and their state and logs belong to a user.
 */
async function setAside(deps: RecoverDeps, known: ReadonlySet<string>): Promise<void> {
  for (const name of names(deps.botsDir)) {
    if (known.has(name)) continue;
    await attempt(deps, `unknown folder ${name}`, async () => {
      await mkdir(deps.asideDir, { recursive: true, mode: 0o700 });
      const to = join(deps.asideDir, `${name}-${deps.now()}`);
      await rename(join(deps.botsDir, name), to);
      deps.onError(`unknown folder ${name}`, new Error(`No bot owns it; it was moved to ${to}`));
    });
  }
}

/** Does one step. A failure is reported, and stops no step of another bot. */
async function attempt(
  deps: Pick<RecoverDeps, 'onError'>,
  what: string,
  work: () => void | Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    deps.onError(what, error);
  }
}

/**
 * Takes over the bots of an earlier host. Stored lines are masked with today's secrets on every read, and expire by age. The
 * host ends orphaned programs, adopts running ones with their output in place, and records ended ones. A failure of one bot is
 * reported and affects no other bot. Starts none, and so waits for nothing that a start waits for: resolves to what `startBots`
 * has to start.
 */
export async function recover(deps: RecoverDeps): Promise<Unstarted> {
  deps.telemetry.maskReads((botId) => {
    const bot = deps.bots.get(botId);
    return bot === null ? [] : botSecrets(deps.unitSpecs, bot);
  });
  const units = deps.runs.units();
  const known = new Set(units.map((unit) => unit.runId));
  await attempt(deps, 'orphaned programs', async () => {
    const ended = await deps.unitSpecs.engines.endOrphans((runId) => known.has(runId), deps.onError);
    if (ended.length > 0) deps.onError('orphaned programs', new Error(`Ended: ${ended.join(', ')}`));
  });
  const all = deps.bots.all();
  await attempt(deps, 'left-over folders', () => setAside(deps, new Set(all.map((bot) => bot.botId))));
  deps.telemetry.know(all.map((bot) => bot.botId));
  for (const [bot, over] of await overRuns(deps, all))
    await attempt(deps, `left-over runs of ${bot.botId}`, () => sweepRuns(deps, bot, over));
  return recoverBots(deps, known);
}

/** Runs that an earlier host has decided and not begun. */
type Unstarted = readonly RunRow[];
type RecoverBotsDeps = Pick<RecoverDeps, 'bots' | 'runs' | 'supervisor' | 'onError'>;

/** As `recover`, for programs alone; `known`: runs whose programs were stored before this host started any. */
export async function recoverBots(deps: RecoverBotsDeps, known: ReadonlySet<string>): Promise<Unstarted> {
  const { bots, runs, supervisor } = deps;
  // Asked before anything is taken over: a program that ends right then has a successor, which this host has started.
  const unstarted = runs.unfinished().filter(({ runId }) => !known.has(runId));
  for (const { botId } of bots.all())
    await attempt(deps, `programs of ${botId}`, () => supervisor.tell(botId, () => ({ is: 'takeOver' })));
  return unstarted;
}

/** Runs decided due times, and starts every enabled bot, after the bots of an earlier host were taken over. */
export async function startBots(deps: Omit<RecoverBotsDeps, 'runs'>, unstarted: Unstarted): Promise<void> {
  const { bots, supervisor } = deps;
  for (const run of unstarted) {
    await attempt(deps, `run ${run.runId} of ${run.botId}`, () => {
      return supervisor.tell(run.botId, () => ({ is: 'unstarted', run }));
    });
  }
  for (const { botId } of bots.all())
    await attempt(deps, `start of ${botId}`, () => supervisor.tell(botId, () => ({ is: 'hostStarted' })));
}
