import type { BotStore } from '../control/bot-store.ts';
import type { RunRow, RunStore } from '../control/run-store.ts';
import type { OutputFile, Unit } from '../engine/engine.ts';
import type { SpoolFile, Telemetry } from '../logs/telemetry-types.ts';
import { type LiveRun, later } from './live-run.ts';
import type { BotFolders } from './unit-spec.ts';

export interface RunOutputDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly telemetry: Telemetry;
  readonly folders: BotFolders;
  readonly removeTree: (path: string) => Promise<void>;
  readonly isClosing: () => boolean;
  readonly onError: (where: string, error: unknown) => void;
}

/** A run, or the names of one whose row is gone. */
export type SomeRun = RunRow | Pick<RunRow, 'botId' | 'runId'>;

/** The file with an output of a program, as the log needs to know it. */
export function spoolFile(run: SomeRun, role: 'bot' | 'query', { stream, path }: OutputFile): SpoolFile {
  const { botId, runId } = run;
  const file = { botId, runId, path, source: role === 'query' ? role : stream };
  return 'mode' in run ? { ...file, facts: { mode: run.mode, hash: run.versionHash, trigger: run.trigger } } : file;
}

/** After this long reading is tried again: the disk may have space by then, the log worker may be back. */
const AGAIN_MS = 5000;
const DRAIN_AGAIN_MS = 15_000;

/** Copies the output of runs from their files into the bot's log; a run's folder goes when all of it is stored. */
export class RunOutput {
  readonly #deps: RunOutputDeps;

  constructor(deps: RunOutputDeps) {
    this.#deps = deps;
  }

  /** Follows a program's output. It waits in files, so an unwritable log only delays it. */
  async attach(live: LiveRun, unit: Unit, role: 'bot' | 'query'): Promise<void> {
    try {
      for (const output of unit.outputs) {
        await this.#deps.telemetry.attach(spoolFile(live.run, role, output));
      }
      const paths = unit.outputs.map((output) => output.path);
      unit.outputRead(() => this.#deps.telemetry.unread(live.botId, paths));
    } catch (error) {
      this.#deps.onError(`output of ${live.botId}`, error);
      later(live, AGAIN_MS, () => void this.attach(live, unit, role));
    }
  }

  /** Stores the last lines of a run; false when the log cannot be written now. The lines wait in their files. */
  async drain(botId: string, runId: string): Promise<boolean> {
    try {
      await this.#deps.telemetry.finish(botId, runId);
      return true;
    } catch (error) {
      this.#deps.onError(`last lines of ${botId}`, error);
      return false;
    }
  }

  /** Stores the last lines of a run once the log can be written again, then removes its folder. */
  drainLater(botId: string, runId: string): void {
    const { runs, bots, onError, isClosing } = this.#deps;
    const again = async (): Promise<void> => {
      if (isClosing() || bots.get(botId) === null) return;
      if (await this.drain(botId, runId)) {
        runs.removeUnits(runId);
        await this.tidy(botId, runId);
      } else this.drainLater(botId, runId);
    };
    setTimeout(() => {
      again().catch((error: unknown) => onError(`last lines of ${botId}`, error));
    }, DRAIN_AGAIN_MS).unref();
  }

  /** Removes the folder of a finished run; failing to is harmless. */
  async tidy(botId: string, runId: string): Promise<void> {
    const path = this.#deps.folders.run(botId, runId);
    try {
      await this.#deps.removeTree(path);
    } catch (error) {
      this.#deps.onError(`remove ${path}`, error);
    }
  }
}
