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
  readonly curve: readonly CurvePoint[];
  readonly currency: string;
}

/** Position of each point: days keep their distance. Only what is drawn goes through floats. */
function placed(curve: readonly CurvePoint[], of: 'total' | 'drawdown', height: number) {
  const at = curve.map(({ day }) => Date.parse(day));
  const values = curve.map((point) => Number(point[of]));
  const first = at[0] ?? 0;
  const span = Math.max(1, (at.at(-1) ?? 0) - first);
  const high = Math.max(0, ...values);
  const low = Math.min(0, ...values);
  const size = high - low || 1;
  const y = (value: number): number => ((high - value) / size) * height;
  return {
    points: curve.map((_, i) => [(((at[i] ?? 0) - first) / span) * WIDTH, y(values[i] ?? 0)] as const),
    zero: y(0),
  };
}

const pathOf = (points: readonly (readonly [number, number])[]): string =>
  points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

/** Profit added up day by day, and below it how far it was from its highest. */
export function ProfitCurve({ curve, currency }: CurveProps) {
  const hidden = useContext(AmountsHidden);
  const id = useId();
  const [index, setIndex] = useState<number | null>(null);
  const total = placed(curve, 'total', HEIGHT);
  const below = placed(curve, 'drawdown', BELOW);
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
      title="Profit and drawdown"
      action={
        <p className={styles.readout}>
          {point.day} · <Money of={point.total} currency={currency} signed /> · drawdown{' '}
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
          <path
            className={styles.area}
            d={`${pathOf(total.points)}L${WIDTH} ${total.zero.toFixed(1)}L0 ${total.zero.toFixed(1)}Z`}
          />
          <line className={styles.zero} x1={0} x2={WIDTH} y1={total.zero} y2={total.zero} />
          <path className={styles.line} d={pathOf(total.points)} />
          {index === null ? null : <line className={styles.cursor} x1={x} x2={x} y1={0} y2={HEIGHT} />}
        </svg>
        <svg viewBox={`0 0 ${WIDTH} ${BELOW}`} preserveAspectRatio="none" className={styles.below} aria-hidden="true">
          <path className={styles.drawdown} d={`M0 0${pathOf(below.points).replace('M', 'L')}L${WIDTH} 0Z`} />
        </svg>
        <div className={styles.slider}>
          <label htmlFor={id} className="visually-hidden">
            Day of the curve
          </label>
          <input
            id={id}
            type="range"
            min={0}
            max={curve.length - 1}
            value={at}
            aria-valuetext={
              hidden
                ? point.day
                : `${point.day}: ${moneyText(point.total, true)}, drawdown ${moneyText(point.drawdown)}`
            }
            onChange={(event) => setIndex(Number(event.target.value))}
            onBlur={() => setIndex(null)}
          />
        </div>
        <p className={styles.ends}>
          <span>{curve[0]?.day}</span>
          <span>{curve.at(-1)?.day}</span>
        </p>
      </div>
    </Section>
  );
}
