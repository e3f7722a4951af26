import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import type { LogCounts } from '../../contract/telemetry.ts';
import { useHost } from './connection-and-user.ts';
import { BotReadRounds } from './read-bots-in-turn.ts';
import type { HostSocket } from './socket.ts';
import { type Usage, usageOf } from './usage.ts';
import { useEvery } from './use-every-while-visible.ts';

const USAGE_MS = 4000;
const COUNTS_MS = 12_000;
/** Delay of the second measurement: CPU use needs two. */
const COMPARE_MS = 1200;

interface Watched {
  readonly usage: ReadonlyMap<string, Usage | null>;
  readonly counts: ReadonlyMap<string, LogCounts['last_hour']>;
}

/** Resources and line counts of the bots in sight. Values of a bot that has left stay until it is in sight again. */
export const useWatched = create<Watched>(() => ({ usage: new Map(), counts: new Map() }));

async function readUsage(socket: HostSocket, botId: string): Promise<void> {
  const stats = await socket.read('bots.stats', { bot_id: botId });
  useWatched.setState(({ usage }) => ({ usage: new Map(usage).set(botId, usageOf(stats, usage.get(botId) ?? null)) }));
}

async function readCounts(socket: HostSocket, botId: string): Promise<void> {
  const { last_hour } = await socket.read('logs.summary', { bot_id: botId });
  useWatched.setState(({ counts }) => ({ counts: new Map(counts).set(botId, last_hour) }));
}

/** Reads the resources of some bots, every few seconds for as long as they are in sight and the person looks at the page. */
export function useWatch(inSight: readonly string[], running: readonly string[]): void {
  const { socket } = useHost();
  const seen = inSight.join(' ');
  const busy = running.join(' ');
  const look = useRef<Record<'usage' | 'counts', () => void> | null>(null);
  useEffect(() => {
    const usages = new BotReadRounds(socket, (id) => readUsage(socket, id));
    const countings = new BotReadRounds(socket, (id) => readCounts(socket, id));
    const usage = (): void => void usages.run(busy.split(' ').filter(Boolean));
    const counts = (): void => void countings.run(seen.split(' ').filter(Boolean));
    look.current = { usage, counts };
    // While scrolling, rows come and go faster than they can be read.
    const settled = setTimeout(() => {
      usage();
      counts();
    }, 150);
    const compared = setTimeout(usage, COMPARE_MS);
    // Data from before the connection was lost is outdated.
    const unlink = socket.onLink((link) => {
      if (link !== 'open') return;
      usage();
      counts();
    });
    return () => {
      look.current = null;
      unlink();
      usages.stop();
      countings.stop();
      clearTimeout(settled);
      clearTimeout(compared);
    };
  }, [socket, seen, busy]);
  useEvery(USAGE_MS, () => look.current?.usage());
  useEvery(COUNTS_MS, () => look.current?.counts());
}
