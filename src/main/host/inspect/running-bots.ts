import { existsSync } from 'node:fs';
import type { DataFolder } from '../../../node/data-folder.ts';
import { bootId, isAlive, toIdentity } from '../../../node/process-identity.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { withReadOnlyDatabase } from './read-only-database.ts';

interface Stored {
  readonly bot: string;
  readonly handle: unknown;
}

/**
 * True if a program still runs. A process is searched for; of a container only the boot is compared, because none of
 * ours outlives it.
 */
async function goesOn({ handle }: Stored): Promise<boolean> {
  const identity = toIdentity(handle);
  if (identity !== null) return isAlive(identity);
  return isJsonObject(handle) && handle.boot === (await bootId());
}

/** Returns the number of bots whose programs the last host left running; null if the control database cannot be read. */
export async function countRunningBots(folder: DataFolder): Promise<number | null> {
  if (!existsSync(folder.controlDatabase)) return 0;
  const stored = withReadOnlyDatabase(folder.controlDatabase, (db): Stored[] =>
    db
      .prepare("select bot_id, handle from unit where role = 'bot'")
      .all()
      .map(({ bot_id, handle }) => ({ bot: String(bot_id), handle: JSON.parse(String(handle)) })),
  );
  if (typeof stored === 'string') return null;
  const found = new Set<string>();
  for (const one of stored) if (await goesOn(one)) found.add(one.bot);
  return found.size;
}
