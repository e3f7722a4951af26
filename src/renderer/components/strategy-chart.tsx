import type { StrategyId } from '../../contract/strategies.ts';
import styles from './strategies.module.css';
import { DRAWING, drawingOf } from './strategy-drawing.ts';

const STACK_WIDTH = 18;

/** Shows what a strategy does; the words beside it say the same. */
export function StrategyChart({ strategy }: { readonly strategy: StrategyId }) {
  const { line, levels, marks, stacks } = drawingOf(strategy);
  const { width, height } = DRAWING;
  return (
    <svg className={styles.chart} viewBox={`-3 -3 ${width + 6} ${height + 6}`} aria-hidden="true" focusable="false">
      {levels.map((y) => (
        <line key={y} x1={0} x2={width} y1={y} y2={y} className={styles.level} />
      ))}
      <polyline points={line.map(({ x, y }) => `${x},${y}`).join(' ')} className={styles.price} />
      {stacks.map(({ x, shares }) => (
        <Stack key={x} x={x} shares={shares} />
      ))}
      {marks.map(({ x, y, kind }) => (
        <circle key={x} cx={x} cy={y} r={2.6} className={styles[kind]} />
      ))}
    </svg>
  );
}

function Stack({ x, shares }: { readonly x: number; readonly shares: readonly number[] }) {
  const { height } = DRAWING;
  return shares.map((share, index) => {
    const below = shares.slice(0, index).reduce((sum, one) => sum + one, 0);
    return (
      <rect
        key={below}
        x={x}
        y={height * (1 - below - share) + 0.75}
        width={STACK_WIDTH}
        height={height * share - 1.5}
        className={styles[`share${index + 1}`]}
      />
    );
  });
}
