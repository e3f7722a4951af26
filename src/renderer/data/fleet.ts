import { useEffect } from 'react';
import { create } from 'zustand';
import type { Bot } from '../../contract/bot.ts';
import { useHost } from './connection-and-user.ts';
import { FleetSync } from './fleet-sync.ts';
import type { HostError } from './host-error.ts';

interface Fleet {
  /** Null until the first answer. */
  readonly bots: ReadonlyMap<string, Bot> | null;
  readonly error: HostError | null;
}

/** The bots of the user as they are now: read once, then kept in line with the stream of their changes. */
export const useFleet = create<Fleet>(() => ({ bots: null, error: null }));

function change(botId: string, bot: Bot | null): void {
  useFleet.setState(({ bots }) => {
    // Before the first list, one bot would look like all there are.
    if (bots === null) return {};
    const next = new Map(bots);
    if (bot === null) next.delete(botId);
    else next.set(botId, bot);
    return { bots: next };
  });
}

/** Keeps the fleet in line for as long as the page is open. */
export function useFollowFleet(): void {
  const { socket } = useHost();
  useEffect(() => {
    const sync = new FleetSync(socket, {
      all: (bots) => useFleet.setState({ bots: new Map(bots.map((bot) => [bot.bot_id, bot])), error: null }),
      one: change,
      failed: (error) => useFleet.setState({ error }),
    });
    const stop = sync.start();
    return () => {
      stop();
      // Another user may log in next.
      useFleet.setState({ bots: null, error: null });
    };
  }, [socket]);
}
