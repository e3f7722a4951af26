import type { SeriesData } from '../../../contract/telemetry.ts';
import type { Points } from '../../../shared/series-points.ts';

/** One line of a chart. `styleIndex` picks colour and dash pattern and stays the line's own when others are hidden. */
export interface ChartLine {
  readonly id: string;
  readonly label: string;
  readonly styleIndex: number;
  readonly points: Points;
  readonly grain: SeriesData['grain'];
  /** Drawn over the others by a scale of its own, at the right. */
  readonly isOverlay?: boolean;
}

/** Something a bot decided, to be marked on a line. */
export interface Marker {
  readonly id: number;
  readonly t: number;
  readonly side: 'BUY' | 'SELL';
  readonly price: number;
  readonly reason: string | null;
  /** 0 to 1. */
  readonly confidence: number | null;
}

/** A time in which something was held; `to` is null for what is held now. Times are ms since the epoch. */
export interface Shade {
  readonly side: 'long' | 'short';
  readonly from: number;
  readonly to: number | null;
}

/** A trade at its price, to be marked as a dot. */
export interface Dot {
  readonly id: string;
  readonly t: number;
  readonly side: 'BUY' | 'SELL';
  readonly price: number;
}

/** Time from and to, in ms since the epoch. */
export interface Domain {
  readonly from: number;
  readonly to: number;
}
