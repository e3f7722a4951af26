import { useCallback, useEffect, useState } from 'react';
import { useHost } from '../connection-and-user.ts';
import { eachOf } from '../each-of.ts';
import { type HostError, toHostError } from '../host-error.ts';
import type { BotCurve } from './equity-curve.ts';
import type { Mode } from './mode-totals.ts';
import { useFollowed } from './use-followed.ts';

/** Curves of bots are read a few at a time. */
const AT_ONCE = 3;
/** Least time between two readings: a curve of months moves little in a minute. */
const NEXT_MS = 15_000;

interface Equity {
  readonly curves: readonly BotCurve[];
  readonly error: HostError | null;
}

/** The equity that these bots wrote in one mode, from an instant on (null: all), read again while they write more. */
export function useEquity(botIds: readonly string[], mode: Mode | undefined, from: string | null): Equity {
  const { socket } = useHost();
  const [found, setFound] = useState<Equity>({ curves: [], error: null });
  const [loading, setLoading] = useState(false);
  const [round, setRound] = useState(0);
  const ids = botIds.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` stands for the wish to read again
  useEffect(() => {
    if (mode === undefined) return;
    let left = false;
    const curves: BotCurve[] = [];
    const time = from === null ? {} : { from };
    setLoading(true);
    eachOf(ids === '' ? [] : ids.split(' '), AT_ONCE, async (botId) => {
      if (left) return;
      const answer = await socket.read('ledger.equity', { bot_id: botId, mode, ...time });
      curves.push(...answer.curves.map((curve) => ({ ...curve, botId })));
    })
      .then(() => ({ curves, error: null }))
      // A part of the accounts would look like the whole.
      .catch((thrown: unknown) => ({ curves: [], error: toHostError(thrown) }))
      .then((next) => {
        if (left) return;
        setLoading(false);
        setFound(next);
      });
    return () => {
      left = true;
    };
  }, [socket, ids, mode, from, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  useFollowed({ loading, reload }, { marks: true }, NEXT_MS);
  return found;
}
