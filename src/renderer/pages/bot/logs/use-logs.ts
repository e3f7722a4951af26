import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useStore } from 'zustand';
import { useHost } from '../../../data/connection-and-user.ts';
import { type FeedState, LogFeed } from './log-feed.ts';
import { filterOf, type LogAddress, type LogFilter, readAddress, writeAddress } from './log-filter.ts';
import { LogSearch, type SearchState } from './log-search.ts';

export interface Logs {
  readonly feed: LogFeed;
  readonly state: FeedState;
  readonly search: LogSearch;
  readonly found: SearchState;
  readonly address: LogAddress;
  readonly filter: LogFilter;
  readonly change: (change: Partial<LogAddress>) => void;
}

/** The log of a bot as its address asks for it. `looksAt` tells which line is in view, to stay there. */
export function useLogs(botId: string, looksAt: () => number | null): Logs {
  const { socket } = useHost();
  const [path, navigate] = useLocation();
  const asked = useSearch();
  const address = useMemo(() => readAddress(asked), [asked]);
  const filter = useMemo(() => filterOf(address), [address]);
  const [{ feed, search }] = useState(() => ({
    feed: new LogFeed(socket, botId),
    search: new LogSearch(socket, botId),
  }));
  const state = useStore(feed.store);
  const found = useStore(search.store);
  const latest = useRef({ address, filter, looksAt, path });
  latest.current = { address, filter, looksAt, path };

  useEffect(() => {
    const { filter: first, address: begin } = latest.current;
    feed.onLive = (entries) => search.add(entries);
    void feed.start(first, begin.line);
    return () => {
      feed.stop();
      search.stop();
    };
  }, [feed, search]);

  const { line } = address;
  const lineWas = useRef(line);
  useEffect(() => {
    if (line !== null && line !== lineWas.current) feed.jumpTo(line);
    lineWas.current = line;
  }, [feed, line]);

  const filterKey = JSON.stringify(filter);
  const keyWas = useRef(filterKey);
  useEffect(() => {
    if (keyWas.current === filterKey) return;
    keyWas.current = filterKey;
    const { following } = feed.store.getState();
    feed.setFilter(latest.current.filter, following ? null : latest.current.looksAt());
  }, [feed, filterKey]);

  const { search: text } = address;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `filterKey` stands for the filter
  useEffect(() => {
    void search.set(text, latest.current.filter);
  }, [search, text, filterKey]);

  const change = useMemo(
    () =>
      (wanted: Partial<LogAddress>): void => {
        const { address: now, path: here } = latest.current;
        navigate(here + writeAddress({ ...now, line: null, ...wanted }), { replace: true });
      },
    [navigate],
  );
  return { feed, state, search, found, address, filter, change };
}
