import { useEffect, useState } from 'react';
import type { BotEvent } from '../../../../contract/bot.ts';
import { useHost } from '../../../data/connection-and-user.ts';
import { marksLog } from './rows.ts';

const PAGE = 1000;
/** Most pages of events to search for deployments: most events are runs. */
const MOST_PAGES = 5;

/** Deploys, changes and failures of a bot, oldest first, read again when `version` changes. */
export function useLogMarks(botId: string, version: string): readonly BotEvent[] {
  const { socket } = useHost();
  const [marks, setMarks] = useState<readonly BotEvent[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` says that there may be more
  useEffect(() => {
    let left = false;
    const read = async (): Promise<void> => {
      const found: BotEvent[] = [];
      let before: number | undefined;
      for (let page = 0; page < MOST_PAGES; page++) {
        const more = before === undefined ? {} : { before };
        const { items } = await socket.read('bots.events', { bot_id: botId, limit: PAGE, ...more });
        found.push(...items.filter(marksLog));
        before = items.at(-1)?.event_id;
        if (items.length < PAGE || left) break;
      }
      if (!left) setMarks(found.reverse());
    };
    // Without them the lines are still all there; the next change asks again.
    read().catch(() => undefined);
    return () => {
      left = true;
    };
  }, [socket, botId, version]);
  return marks;
}
