import { useCallback, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useMatches } from '../../data/use-media-query.ts';

/** Windows with room for a panel beside the table; in others a row leads to the page of its bot. */
const WIDE = '(min-width: 75rem)';
/** Browsers refuse addresses that change too often: keys that are held down leave one behind, once they rest. */
const SETTLE_MS = 200;
const PARAMETER = 'bot';

/** The bot that the panel beside the table shows. */
export interface ShownBot {
  /** Null: the panel is closed. */
  readonly id: string | null;
  readonly show: (botId: string | null) => void;
  /** Writes it into the address now, before another page takes its place. */
  readonly settle: () => void;
}

/**
 * Which of these bots the panel shows. The address keeps it, so that a reload, a link or a way back shows it again. Null: there
 * is no room for a panel.
 */
export function useShownBot(bots: Pick<ReadonlyMap<string, unknown>, 'has'> | null): ShownBot | null {
  const hasRoom = useMatches(WIDE);
  const [search, setSearch] = useSearchParams();
  const inAddress = search.get(PARAMETER);
  const [id, setId] = useState(inAddress);
  const written = useRef(inAddress);
  const write = useRef<() => void>(() => undefined);
  write.current = () => {
    if (id === written.current) return;
    written.current = id;
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (id === null) next.delete(PARAMETER);
        else next.set(PARAMETER, id);
        return next;
      },
      { replace: true },
    );
  };
  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    setId(inAddress);
  }, [inAddress]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another bot begins the wait anew
  useEffect(() => {
    const timer = setTimeout(() => write.current(), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [id]);
  const settle = useCallback(() => write.current(), []);
  return hasRoom ? { id: id !== null && bots?.has(id) === true ? id : null, show: setId, settle } : null;
}
