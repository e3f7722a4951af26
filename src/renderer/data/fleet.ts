import { useEffect } from 'react';
import { create } from 'zustand';
import type { Bot } from '../../contract/bot.ts';
import { useHost } from './host.ts';
import { type HostError, toHostError } from './host-error.ts';
import type { HostSocket } from './socket.ts';

interface Fleet {
  /** Null until the first answer. */
  readonly bots: ReadonlyMap<string, Bot> | null;
  readonly error: HostError | null;
}

/** The bots of the user as they are now: read once, then kept in line with the stream of their changes. */
export const useFleet = create<Fleet>(() => ({ bots: null, error: null }));

function change(botId: string, bot: Bot | null): void {
  useFleet.setState(({ bots }) => {
    const next = new Map(bots);
    if (bot === null) next.delete(botId);
    else next.set(botId, bot);
    return { bots: next };
  });
}

/** Reads bots again, each at most once at a time; what changes meanwhile is read once more. */
class Refresher {
  readonly #socket: HostSocket;
  readonly #going = new Map<string, boolean>();

  constructor(socket: HostSocket) {
    this.#socket = socket;
  }

  refresh(botId: string): void {
    if (this.#going.has(botId)) {
      this.#going.set(botId, true);
      return;
    }
    this.#going.set(botId, false);
    this.#socket
      .call('bots.get', { bot_id: botId })
      .then(
        (bot) => change(botId, bot),
        (thrown) => {
          if (toHostError(thrown).code === 'BOT_NOT_FOUND') change(botId, null);
        },
      )
      .finally(() => {
        const again = this.#going.get(botId) === true;
        this.#going.delete(botId);
        if (again) this.refresh(botId);
      });
  }
}

/** Keeps the fleet in line for as long as the page is open. */
export function useFollowFleet(): void {
  const { socket } = useHost();
  useEffect(() => {
    const refresher = new Refresher(socket);
    const load = (): void => {
      socket.call('bots.list', {}).then(
        ({ items }) => useFleet.setState({ bots: new Map(items.map((bot) => [bot.bot_id, bot])), error: null }),
        (thrown) => useFleet.setState({ error: toHostError(thrown) }),
      );
    };
    load();
    const events = socket.stream(
      'bots.stream',
      {},
      {
        event: ({ bot_id, kind }) => (kind === 'deleted' ? change(bot_id, null) : refresher.refresh(bot_id)),
      },
    );
    const stop = socket.onLink((link) => link === 'open' && load());
    return () => {
      stop();
      events.cancel();
      // Somebody else may log in next.
      useFleet.setState({ bots: null, error: null });
    };
  }, [socket]);
}
