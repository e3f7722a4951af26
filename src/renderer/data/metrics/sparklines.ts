import { type RefObject, useEffect, useState } from 'react';
import { create } from 'zustand';
import type { MetricSeriesInfo } from '../../../contract/telemetry.ts';
import { hostNow } from '../../host-clock.ts';
import { useHost } from '../connection-and-user.ts';
import { useFleet } from '../fleet.ts';
import { usePreferences } from '../preferences.ts';
import type { HostSocket } from '../socket.ts';
import { seriesName } from './chart-groups.ts';
import { newestTrade, type Trade } from './newest-trade.ts';
import { sparklineSeries } from './sparkline-series.ts';

/** A small line of one series. */
export interface SmallSeries {
  readonly name: string;
  readonly values: readonly number[];
}

/** What a row of the fleet shows of a bot's metrics. */
export interface SmallMetrics {
  /** Null for a bot without a series. */
  readonly series: SmallSeries | null;
  /** The newest signal or fill; null for a bot that has reported none. */
  readonly trade: Trade | null;
}

interface Kept {
  readonly at: number;
  /** The requested series name at the time of the choice. */
  readonly wish: string | null;
  readonly chosenAt: number;
  readonly series: MetricSeriesInfo | null;
  readonly small: SmallMetrics;
}

const POINTS = 40;
const FRESH_MS = 30_000;
const HOUR = 3_600_000;
/** Bots begin to measure other things; until then a row goes on with its series. */
const CHOICE_MS = 5 * 60_000;
/** A row that is scrolled past is not read. */
const SETTLE_MS = 150;
/** Requests at a time: a screenful of rows must not delay the user's own requests. */
const AT_ONCE = 2;

/** The names of all series in the rows so far, for choosing one as column. */
export const useSeriesNames = create<{ readonly names: ReadonlySet<string> }>(() => ({ names: new Set() }));
const MOST_NAMES = 200;

function remember(series: readonly MetricSeriesInfo[]): void {
  const { names } = useSeriesNames.getState();
  const fresh = series.map(seriesName).filter((name) => !names.has(name));
  if (fresh.length > 0) useSeriesNames.setState({ names: new Set([...names, ...fresh].slice(0, MOST_NAMES)) });
}

/** The small lines of all bots, read a few at once. */
export class SmallLines {
  /** The last data of each bot: rows come and go while scrolling and filtering. */
  readonly #kept = new Map<string, Kept>();
  readonly #waiting: (() => void)[] = [];
  #reading = 0;

  small(botId: string): SmallMetrics | null {
    return this.#kept.get(botId)?.small ?? null;
  }

  isFresh(botId: string, wish: string | null = null): boolean {
    const kept = this.#kept.get(botId);
    return kept !== undefined && kept.wish === wish && kept.at > Date.now() - FRESH_MS;
  }

  /** Reads the line of a bot when its turn comes, if it is wanted then: of the series that is wished for, by its name. */
  async refresh(
    client: Pick<HostSocket, 'read'>,
    botId: string,
    isWanted: () => boolean,
    wish: string | null = null,
  ): Promise<SmallMetrics | null> {
    if (this.#reading >= AT_ONCE) await new Promise<void>((turn) => this.#waiting.push(turn));
    else this.#reading += 1;
    try {
      if (isWanted() && !this.isFresh(botId, wish)) this.#kept.set(botId, await this.#read(client, botId, wish));
      return this.small(botId);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#reading -= 1;
      else next();
    }
  }

  /** Forgets bots that are gone. */
  keep(bots: Pick<ReadonlyMap<string, unknown>, 'has'>): void {
    for (const botId of this.#kept.keys()) if (!bots.has(botId)) this.#kept.delete(botId);
  }

  async #read(client: Pick<HostSocket, 'read'>, botId: string, wish: string | null): Promise<Kept> {
    const at = Date.now();
    const known = this.#kept.get(botId);
    const isChosen =
      known !== undefined && known.wish === wish && known.series !== null && known.chosenAt > at - CHOICE_MS;
    const { series, types } = await client.read('metrics.get', { bot_id: botId });
    remember(series);
    const trade = newestTrade(types);
    const chosen = isChosen ? known.series : sparklineSeries(series, wish);
    const chosenAt = isChosen ? known.chosenAt : at;
    if (chosen === null) return { at, wish, chosenAt, series: null, small: { series: null, trade } };
    const { type, field, symbol } = chosen;
    const input = { bot_id: botId, type, field, points: POINTS, ...(symbol === null ? {} : { symbol }) };
    const ofHour = await client.read('metrics.series', { ...input, from: new Date(hostNow() - HOUR).toISOString() });
    const { last } = ofHour.t.length > 1 ? ofHour : await client.read('metrics.series', input);
    const name = [symbol, seriesName(chosen)].filter((part) => part !== null).join(' ');
    return { at, wish, chosenAt, series: chosen, small: { series: { name, values: last }, trade } };
  }
}

const lines = new SmallLines();
useFleet.subscribe(({ bots }) => bots !== null && lines.keep(bots));

/** The metrics of a bot in small, read when its row is in view and every half minute from then on; null until then. */
export function useSmallMetrics(botId: string, row: RefObject<Element | null>): SmallMetrics | null {
  const { socket } = useHost();
  const wish = usePreferences((one) => one.fleet_metric);
  const [small, setSmall] = useState(() => lines.small(botId));
  useEffect(() => {
    let inSight = false;
    let reading = false;
    const isWanted = (): boolean => inSight && !document.hidden && socket.link === 'open';
    const refresh = async (): Promise<void> => {
      if (reading || !isWanted()) return;
      if (lines.isFresh(botId, wish)) {
        // Another place of the page has read it meanwhile.
        setSmall(lines.small(botId));
        return;
      }
      reading = true;
      try {
        setSmall(await lines.refresh(socket, botId, isWanted, wish));
      } catch {
        // A missing small line is not worth a message; the next round tries again.
      } finally {
        reading = false;
      }
    };
    let settling: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver((entries) => {
      clearTimeout(settling);
      inSight = false;
      if (entries.at(-1)?.isIntersecting !== true) return;
      settling = setTimeout(() => {
        inSight = true;
        void refresh();
      }, SETTLE_MS);
    });
    if (row.current !== null) observer.observe(row.current);
    // More often than values expire, so that each row is only a little late.
    const timer = setInterval(() => void refresh(), FRESH_MS / 6);
    const unlink = socket.onLink(() => void refresh());
    return () => {
      inSight = false;
      clearTimeout(settling);
      observer.disconnect();
      clearInterval(timer);
      unlink();
    };
  }, [socket, botId, row, wish]);
  return small;
}
