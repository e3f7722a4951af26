import { setImmediate as nextTurn } from 'node:timers/promises';
import { PlatformError } from '../../../contract/errors.ts';
import type { BotReaders } from './bot-readers.ts';
import type { LogActivity } from './telemetry-types.ts';
import { levelNumber } from './wire-entries.ts';

/** Time limit for all logs together, in ms. A request for thousands of bots gets those that were reached in time. */
const DEADLINE_MS = 3000;

type Item = LogActivity['items'][number];

/** Lines of the last hour and symbols of several bots; other reads get their turn between two of them. */
export async function readActivity(
  readers: Pick<BotReaders, 'use'>,
  botIds: readonly string[],
  read: { readonly stopped: boolean },
  now: number,
): Promise<LogActivity> {
  const deadline = performance.now() + DEADLINE_MS;
  const items: Item[] = [];
  for (const botId of botIds) {
    if (read.stopped || performance.now() > deadline) return { items, incomplete: true };
    const item = one(readers, botId, now);
    if (item !== null) items.push(item);
    await nextTurn();
  }
  return { items, incomplete: items.length < botIds.length };
}

/** Null for a bot whose log is damaged: the host sets it aside, and answers for the others meanwhile. */
function one(readers: Pick<BotReaders, 'use'>, botId: string, now: number): Item | null {
  try {
    return readers.use(botId, (reader, masker) => {
      const hour = reader?.lastHour(now) ?? new Map<number, number>();
      return {
        botId,
        errors: hour.get(levelNumber('error')) ?? 0,
        warnings: hour.get(levelNumber('warn')) ?? 0,
        symbols: (reader?.symbols() ?? []).map((symbol) => masker.mask(symbol).text),
      };
    });
  } catch (error) {
    if (error instanceof PlatformError) return null;
    throw error;
  }
}
