import { useEffect } from 'react';
import { create } from 'zustand';
import type { LogCounts } from '../../contract/telemetry.ts';
import { useHost } from './host.ts';
import { toHostError } from './host-error.ts';
import type { HostSocket } from './socket.ts';
import { type Usage, usageOf } from './usage.ts';
import { useEvery } from './use-every.ts';

const USAGE_MS = 4000;
const COUNTS_MS = 12_000;
/** A second look soon after the first: only two of them tell how busy a bot is. */
const COMPARE_MS = 1200;

interface Watched {
  readonly usage: ReadonlyMap<string, Usage | null>;
  readonly counts: ReadonlyMap<string, LogCounts['last_hour']>;
}

/** What the bots in sight use and say. Values of those that left it stay until they are seen again. */
export const useWatched = create<Watched>(() => ({ usage: new Map(), counts: new Map() }));

async function readUsage(socket: HostSocket, botId: string): Promise<void> {
  const stats = await socket.call('bots.stats', { bot_id: botId });
  useWatched.setState(({ usage }) => ({ usage: new Map(usage).set(botId, usageOf(stats, usage.get(botId) ?? null)) }));
}

async function readCounts(socket: HostSocket, botId: string): Promise<void> {
  const { last_hour } = await socket.call('logs.summary', { bot_id: botId });
  useWatched.setState(({ counts }) => ({ counts: new Map(counts).set(botId, last_hour) }));
}

/** One after the other, so that what a person asks for meanwhile does not wait behind a screenful. */
async function inTurn(
  ids: readonly string[],
  read: (id: string) => Promise<void>,
  isOver: () => boolean,
): Promise<void> {
  for (const id of ids) {
    if (isOver()) return;
    try {
      await read(id);
    } catch (thrown) {
      // A bot may be gone by now; of a lost connection the page says enough.
      if (toHostError(thrown).code === 'CONNECTION_LOST') return;
    }
  }
}

/** Reads what some bots use, every few seconds for as long as they are in sight and the page is looked at. */
export function useWatch(inSight: readonly string[], running: readonly string[]): void {
  const { socket } = useHost();
  const seen = inSight.join(' ');
  const busy = running.join(' ');
  const usage = (isOver: () => boolean): void =>
    void inTurn(busy.split(' ').filter(Boolean), (id) => readUsage(socket, id), isOver);
  const counts = (isOver: () => boolean): void =>
    void inTurn(seen.split(' ').filter(Boolean), (id) => readCounts(socket, id), isOver);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the closures change with each drawing, what they read does not
  useEffect(() => {
    let left = false;
    // While somebody scrolls, rows come and go faster than they can be read.
    const settled = setTimeout(() => {
      usage(() => left);
      counts(() => left);
    }, 150);
    const compared = setTimeout(() => usage(() => left), COMPARE_MS);
    return () => {
      left = true;
      clearTimeout(settled);
      clearTimeout(compared);
    };
  }, [socket, seen, busy]);
  useEvery(USAGE_MS, () => usage(() => false));
  useEvery(COUNTS_MS, () => counts(() => false));
}
