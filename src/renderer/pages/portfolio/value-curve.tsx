import { useContext, useId, useState } from 'react';
import { AmountsHidden, Money } from '../../components/money.tsx';
import { moneyText } from '../../components/money-text.ts';
import { Section } from '../../components/section.tsx';
import type { CurvePoint } from '../../data/ledger/profit-curve.ts';
import styles from './portfolio.module.css';

const WIDTH = 1000;
const HEIGHT = 200;
const BELOW = 60;

interface CurveProps {
  readonly title: string;
  readonly curve: readonly CurvePoint[];
  readonly currency: string;
  /** True for profit, which begins at zero and has a sign. */
  readonly isProfit: boolean;
  /** How a point in time is written. */
  readonly timeText: (at: string) => string;
}

/** Position of each point: days keep their distance. Only what is drawn goes through floats. */
function placed(curve: readonly CurvePoint[], of: 'total' | 'drawdown', height: number, hasZero: boolean) {
  const at = curve.map(({ day }) => Date.parse(day));
  const values = curve.map((point) => Number(point[of]));
  const first = at[0] ?? 0;
  const span = Math.max(1, (at.at(-1) ?? 0) - first);
  const ends = hasZero ? [0] : [];
  const high = Math.max(...ends, ...values);
  const low = Math.min(...ends, ...values);
  const size = high - low || 1;
  const y = (value: number): number => ((high - value) / size) * height;
  return {
    points: curve.map((_, i) => [(((at[i] ?? 0) - first) / span) * WIDTH, y(values[i] ?? 0)] as const),
    base: hasZero ? y(0) : height,
  };
}

const pathOf = (points: readonly (readonly [number, number])[]): string =>
  points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

/** A value over time, and below it how far it was from its highest. */
export function ValueCurve({ title, curve, currency, isProfit, timeText }: CurveProps) {
  const hidden = useContext(AmountsHidden);
  const id = useId();
  const [index, setIndex] = useState<number | null>(null);
  const total = placed(curve, 'total', HEIGHT, isProfit);
  const below = placed(curve, 'drawdown', BELOW, true);
  const at = index ?? curve.length - 1;
  const point = curve[at];
  if (point === undefined) return null;
  const x = total.points[at]?.[0] ?? 0;
  const seek = (clientX: number, box: DOMRect): void => {
    const wanted = ((clientX - box.left) / box.width) * WIDTH;
    const nearest = total.points.reduce(
      (best, [px], i) => (Math.abs(px - wanted) < Math.abs((total.points[best]?.[0] ?? 0) - wanted) ? i : best),
      0,
    );
    setIndex(nearest);
  };
  return (
    <Section
      title={title}
      action={
        <p className={styles.readout}>
          {timeText(point.day)} · <Money of={point.total} currency={currency} signed={isProfit} /> · drawdown{' '}
          <Money of={point.drawdown} currency={currency} signed />
        </p>
      }
    >
      <div className={styles.curve}>
        <svg
          viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`}
          preserveAspectRatio="none"
          className={styles.total}
          aria-hidden="true"
          onPointerMove={(event) => seek(event.clientX, event.currentTarget.getBoundingClientRect())}
          onPointerLeave={() => setIndex(null)}
        >
          {/* An area that does not begin at zero would show a small change as a large one. */}
          {isProfit ? (
            <>
              <path
                className={styles.area}
                d={`${pathOf(total.points)}L${WIDTH} ${total.base.toFixed(1)}L0 ${total.base.toFixed(1)}Z`}
              />
              <line className={styles.zero} x1={0} x2={WIDTH} y1={total.base} y2={total.base} />
            </>
          ) : null}
          <path className={styles.line} d={pathOf(total.points)} />
          {index === null ? null : <line className={styles.cursor} x1={x} x2={x} y1={0} y2={HEIGHT} />}
        </svg>
        <svg viewBox={`0 0 ${WIDTH} ${BELOW}`} preserveAspectRatio="none" className={styles.below} aria-hidden="true">
          <path className={styles.drawdown} d={`M0 0${pathOf(below.points).replace('M', 'L')}L${WIDTH} 0Z`} />
        </svg>
        <div className={styles.slider}>
          <label htmlFor={id} className="visually-hidden">
            {title}: point in time
          </label>
          <input
            id={id}
            type="range"
            min={0}
            max={curve.length - 1}
            value={at}
            aria-valuetext={
              hidden
                ? timeText(point.day)
                : `${timeText(point.day)}: ${moneyText(point.total, isProfit)}, drawdown ${moneyText(point.drawdown)}`
            }
            onChange={(event) => setIndex(Number(event.target.value))}
            onBlur={() => setIndex(null)}
          />
        </div>
        <p className={styles.ends}>
          {[curve[0], curve.at(-1)].map((end, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the two ends
            <span key={i}>{end === undefined ? null : timeText(end.day)}</span>
          ))}
        </p>
      </div>
    </Section>
  );
}
