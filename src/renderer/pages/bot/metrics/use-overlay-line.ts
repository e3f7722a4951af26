import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { NO_POINTS } from '../../../../shared/series-points.ts';
import type { ChartLine } from '../../../components/charts/chart-elements.ts';
import { LINE_STYLES } from '../../../components/charts/line-style.ts';
import { useHost } from '../../../data/connection-and-user.ts';
import { useFleet } from '../../../data/fleet.ts';
import { seriesName } from '../../../data/metrics/chart-groups.ts';
import { MetricsStore } from '../../../data/metrics/metrics-store.ts';
import type { Overlay } from '../../../data/metrics/overlays.ts';
import { seriesKey } from '../../../data/metrics/series.ts';
import type { TimeWindow } from '../../../data/metrics/time-window.ts';

const unfollowed = (): (() => void) => () => undefined;
const nothing = (): null => null;

/** The line of what lies over a bot's chart, live, in the time that the chart shows; null where nothing does. */
export function useOverlayLine(overlay: Overlay | null, ownBotId: string, window: TimeWindow): ChartLine | null {
  const { socket } = useHost();
  const latest = useRef(window);
  latest.current = window;
  const store = useMemo(
    () => (overlay === null ? null : new MetricsStore(socket, overlay.botId, latest.current)),
    [socket, overlay],
  );
  useEffect(() => {
    if (store === null || overlay === null) return;
    const close = store.open();
    store.want([overlay.series]);
    return close;
  }, [store, overlay]);
  const windowKey = JSON.stringify(window);
  useEffect(() => {
    if (store !== null && JSON.stringify(store.read().window) !== windowKey) store.look(latest.current);
  }, [store, windowKey]);
  const state = useSyncExternalStore(store?.follow ?? unfollowed, store?.read ?? nothing);
  const bot = useFleet(({ bots }) => (overlay === null ? undefined : bots?.get(overlay.botId)?.name));
  const error = state?.error ?? null;
  const key = overlay === null ? '' : seriesKey(overlay.series);
  const points = state?.points.get(key) ?? NO_POINTS;
  const grain = state?.grains.get(key) ?? 'raw';
  return useMemo(() => {
    if (overlay === null) return null;
    const { series, botId } = overlay;
    const owner = botId === ownBotId ? null : (bot ?? botId);
    const name = [owner, series.symbol, seriesName(series)].filter((word) => word !== null).join(' ');
    return {
      id: `overlay ${key}`,
      label: error === null ? `${name} (right)` : `${name}: ${error.message}`,
      styleIndex: LINE_STYLES - 1,
      points,
      grain,
      isOverlay: true,
    };
  }, [overlay, ownBotId, bot, error, key, points, grain]);
}
