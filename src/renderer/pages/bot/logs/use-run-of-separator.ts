import { useEffect, useState } from 'react';
import type { Run } from '../../../../contract/bot.ts';
import { useHost } from '../../../data/connection-and-user.ts';
import { useFleet } from '../../../data/fleet.ts';

const known = new Map<string, Run>();
const MOST = 500;
/** Delay before a read: rules that scroll by cause no requests. */
const REST_MS = 120;

/** A run, once its rule has rested in view; null until then, and when it is no longer kept. */
export function useRunOfSeparator(botId: string, runId: string): Run | null {
  const { socket } = useHost();
  const [run, setRun] = useState<Run | null>(known.get(runId) ?? null);
  // An unfinished run is read again when the bot is at another one, or at none.
  const now = useFleet(({ bots }) => bots?.get(botId)?.run_id ?? null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `now` says that it may have ended
  useEffect(() => {
    if (known.has(runId)) return;
    let left = false;
    const timer = setTimeout(() => {
      socket.read('runs.get', { bot_id: botId, run_id: runId }).then(
        (found) => {
          // An unfinished run is read again when its rule comes back into view.
          if (found.ended_at !== null) {
            if (known.size >= MOST) known.clear();
            known.set(runId, found);
          }
          if (!left) setRun(found);
        },
        // A run that is no longer kept still has its rule.
        () => undefined,
      );
    }, REST_MS);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [socket, botId, runId, now]);
  return run;
}
