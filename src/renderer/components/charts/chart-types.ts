import type { SeriesData } from '../../../contract/telemetry.ts';
import type { Points } from '../../../shared/series-points.ts';

/** One line of a chart. `styleIndex` picks colour and dash pattern and stays the line's own when others are hidden. */
export interface ChartLine {
  readonly id: string;
  readonly label: string;
  readonly styleIndex: number;
  readonly points: Points;
  readonly grain: SeriesData['grain'];
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

/** Time from and to, in ms since the epoch. */
export interface Domain {
  readonly from: number;
  readonly to: number;
}
