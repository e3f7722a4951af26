import { type RefObject, useEffect, useState } from 'react';
import type { MetricSeriesInfo } from '../../../contract/telemetry.ts';
import { useHost } from '../host.ts';
import type { HostSocket } from '../socket.ts';
import { chartGroups, seriesName } from './charts.ts';

/** A small line of one series. */
export interface SmallSeries {
  readonly name: string;
  readonly values: readonly number[];
}

interface Kept {
  readonly at: number;
  readonly series: MetricSeriesInfo | null;
  readonly small: SmallSeries | null;
}

const POINTS = 40;
const FRESH_MS = 30_000;
/** Series that are about as new as the newest count as newest: of those the first chart's is shown. */
const SAME_MS = 60_000;
const HOUR = 3_600_000;

/** What was read last of each bot: rows come and go while one scrolls and filters. */
const kept = new Map<string, Kept>();

/** The series to show of a bot in small: the most telling one among the newest. */
export function newestSeries(series: readonly MetricSeriesInfo[]): MetricSeriesInfo | null {
  const times = series.map(({ last_at }) => (last_at === null ? 0 : Date.parse(last_at)));
  const newest = Math.max(...times);
  return chartGroups(series.filter((_, index) => (times[index] ?? 0) >= newest - SAME_MS))[0]?.series[0] ?? null;
}

async function read(socket: HostSocket, botId: string): Promise<Kept> {
  const known = kept.get(botId);
  const chosen = known?.series ?? newestSeries((await socket.call('metrics.get', { bot_id: botId })).series);
  const at = Date.now();
  if (chosen === null) return { at, series: null, small: null };
  const { type, field, symbol } = chosen;
  const input = { bot_id: botId, type, field, points: POINTS, ...(symbol === null ? {} : { symbol }) };
  const ofHour = await socket.call('metrics.series', { ...input, from: new Date(at - HOUR).toISOString() });
  const { last } = ofHour.t.length > 1 ? ofHour : await socket.call('metrics.series', input);
  const name = [symbol, seriesName(chosen)].filter((part) => part !== null).join(' ');
  return { at, series: chosen, small: { name, values: last } };
}

/** The small line of a bot, read when its row is in sight and every half minute from then on. Null: there is none. */
export function useSmallSeries(botId: string, row: RefObject<Element | null>): SmallSeries | null {
  const { socket } = useHost();
  const [small, setSmall] = useState(() => kept.get(botId)?.small ?? null);
  useEffect(() => {
    let inSight = false;
    let reading = false;
    const refresh = async (): Promise<void> => {
      const fresh = (kept.get(botId)?.at ?? 0) > Date.now() - FRESH_MS;
      if (!inSight || reading || fresh || document.hidden || socket.link !== 'open') return;
      reading = true;
      try {
        const next = await read(socket, botId);
        kept.set(botId, next);
        setSmall(next.small);
      } catch {
        // A row without its small line is no reason for a word; the next round tries again.
      } finally {
        reading = false;
      }
    };
    const observer = new IntersectionObserver((entries) => {
      inSight = entries.at(-1)?.isIntersecting ?? false;
      void refresh();
    });
    if (row.current !== null) observer.observe(row.current);
    // Oftener than things grow old, so that each row is late by little.
    const timer = setInterval(() => void refresh(), FRESH_MS / 6);
    const unlink = socket.onLink(() => void refresh());
    return () => {
      observer.disconnect();
      clearInterval(timer);
      unlink();
    };
  }, [socket, botId, row]);
  return small;
}
