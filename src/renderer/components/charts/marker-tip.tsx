import { formatNumber } from '../number.ts';
import type { Spot } from './draw.ts';
import styles from './marker-tip.module.css';
import { instantText, type Zone } from './time-labels.ts';

/** Confidence as bots tell it, 0 to 1, in per cent. */
export const confidenceText = (confidence: number): string =>
  confidence >= 0 && confidence <= 1 ? `${Math.round(confidence * 100)} %` : formatNumber(confidence);

/** A bot's decision and its reason, beside its marker. The list of signals repeats it. */
export function MarkerTip({ spot, width, zone }: { readonly spot: Spot; readonly width: number; readonly zone: Zone }) {
  const { marker, x, y } = spot;
  const toLeft = x > width / 2;
  const side = toLeft ? { right: width - x + 14 } : { left: x + 14 };
  return (
    <div className={styles.tip} style={{ ...side, top: Math.max(0, y - 30) }} aria-hidden="true">
      <p className={styles.head}>
        <strong className={marker.side === 'BUY' ? styles.buy : styles.sell}>{marker.side}</strong>
        <span>{formatNumber(marker.price)}</span>
        {marker.confidence === null ? null : (
          <span className={styles.dim}>{confidenceText(marker.confidence)} confident</span>
        )}
      </p>
      {marker.reason === null ? null : <p>{marker.reason}</p>}
      <p className={styles.dim}>{instantText(marker.t, zone)}</p>
    </div>
  );
}
