import { removeTree } from '../base/remove-tree.ts';
import type { Unit } from '../engine/engine.ts';
import type { BotStore } from '../store/bot-store.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { BotFolders } from './launcher.ts';
import { type LiveRun, later } from './live-run.ts';

export interface RunOutputDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly telemetry: Telemetry;
  readonly folders: BotFolders;
  readonly isClosing: () => boolean;
  readonly onError: (where: string, error: unknown) => void;
}

/** After this long reading is tried again: the disk may have space by then, the log worker may be back. */
const AGAIN_MS = 5000;
const DRAIN_AGAIN_MS = 15_000;

/** What runs write, from the files of a run into the bot's log; the folder of a run goes when all of it is stored. */
export class RunOutput {
  readonly #d: RunOutputDeps;

  constructor(deps: RunOutputDeps) {
    this.#d = deps;
  }

  /** Reads what a program writes. Its output waits in files, so a log that cannot be written now delays it, no more. */
  async attach(live: LiveRun, unit: Unit, role: 'bot' | 'query'): Promise<void> {
    try {
      for (const output of unit.outputs) {
        const source = role === 'query' ? 'query' : output.stream;
        await this.#d.telemetry.attach({ botId: live.botId, runId: live.run.runId, path: output.path, source });
      }
      const paths = unit.outputs.map((output) => output.path);
      unit.outputRead(() => this.#d.telemetry.unread(live.botId, paths));
    } catch (error) {
      this.#d.onError(`output of ${live.botId}`, error);
      later(live, AGAIN_MS, () => void this.attach(live, unit, role));
    }
  }

  /** Stores the last lines of a run; false when the log cannot be written now. The lines wait in their files. */
  async drain(live: LiveRun): Promise<boolean> {
    try {
      await this.#d.telemetry.finish(live.botId, live.run.runId);
      return true;
    } catch (error) {
      this.#d.onError(`last lines of ${live.botId}`, error);
      return false;
    }
  }

  /** Stores the last lines of a run once the log can be written again, then removes its folder. */
  drainLater(live: LiveRun): void {
    const { runs, bots, onError, isClosing } = this.#d;
    const again = async (): Promise<void> => {
      if (isClosing() || bots.get(live.botId) === null) return;
      if (await this.drain(live)) {
        runs.removeUnits(live.run.runId);
        await this.tidy(live.botId, live.run.runId);
      } else this.drainLater(live);
    };
    setTimeout(() => {
      again().catch((error: unknown) => onError(`last lines of ${live.botId}`, error));
    }, DRAIN_AGAIN_MS).unref();
  }

  /** Removes the folder of a run, which nobody needs any more. What cannot be removed is in nobody's way. */
  async tidy(botId: string, runId: string): Promise<void> {
    const path = this.#d.folders.run(botId, runId);
    try {
      await removeTree(path);
    } catch (error) {
      this.#d.onError(`remove ${path}`, error);
    }
  }
}
