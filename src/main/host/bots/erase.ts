import { faultPoint } from '../../../node/fault-point.ts';
import { isUnwritable } from '../../../node/storage-error.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { RunStore } from '../control/run-store.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import type { DeletionWaiters } from './deletion-waiters.ts';
import type { Journal } from './journal.ts';
import type { Orphans } from './orphans.ts';

export interface EraseDeps {
  readonly bots: Pick<BotStore, 'storeWish'>;
  readonly runs: RunStore;
  readonly journal: Journal;
  readonly telemetry: Telemetry;
  readonly folders: { bot(botId: string): string };
  readonly removeTree: (path: string) => Promise<void>;
  readonly waiters: DeletionWaiters;
  readonly orphans: Orphans;
  readonly onError: (where: string, error: unknown) => void;
}

/**
 * Removes everything of a bot without programs, and informs its waiters. While the disk takes no record of the deletion
 * nothing is removed: the next host would start the bot without its state.
 */
export async function eraseBot(deps: EraseDeps, bot: BotRow): Promise<void> {
  const { botId } = bot;
  if (!deps.bots.storeWish(botId)) {
    deps.waiters.gone(botId);
    return;
  }
  let isEmpty = false;
  try {
    await deps.telemetry.removeBot(botId);
    faultPoint('erase:logs');
    await deps.removeTree(deps.folders.bot(botId));
    faultPoint('erase:files');
    isEmpty = true;
    deps.orphans.forget(botId);
    deps.journal.remove(bot);
    faultPoint('erase:done');
  } catch (error) {
    deps.onError(`removal of ${botId}`, error);
    // The deletion is recorded, or kept as a wish: only the row is left, and goes when the disk has space.
    if (isEmpty && isUnwritable(error)) deps.waiters.gone(botId);
    else deps.waiters.failed(botId);
    return;
  }
  deps.runs.forget(botId);
  deps.waiters.gone(botId);
}
