import { useEffect, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Empty } from '../../../components/empty.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import type { FeedState } from './log-feed.ts';
import styles from './logs.module.css';

const PATIENCE_MS = 300;

interface LogNothingProps {
  readonly state: FeedState;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  readonly onRetry: () => void;
}

/** In place of lines: an error, that there are none, or that they are loading. */
export function LogNothing({ state, isFiltered, onClear, onRetry }: LogNothingProps) {
  const { error, reading, window } = state;
  const isReading = reading === 'window';
  const isSlow = useLate(isReading);
  if (error !== null) {
    return (
      <div className={styles.note}>
        <ErrorNote error={error} />
        <Button onClick={onRetry}>Try again</Button>
      </div>
    );
  }
  if (window.entries.length > 0) return null;
  if (isReading) return isSlow ? <Skeleton /> : null;
  return isFiltered ? (
    <div className={styles.cover}>
      <Empty title="No line matches">
        <Button onClick={onClear}>Clear filters</Button>
      </Empty>
    </div>
  ) : (
    <div className={styles.cover}>
      <Empty title="No lines yet">
        <p>What the bot prints appears here at once.</p>
      </Empty>
    </div>
  );
}

function Skeleton() {
  return (
    <div className={styles.skeleton} role="status">
      <span className="visually-hidden">Reading lines</span>
    </div>
  );
}

/** True once something takes longer than people perceive as instant. */
function useLate(isGoing: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isGoing) return setLate(false);
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isGoing]);
  return isLate && isGoing;
}
