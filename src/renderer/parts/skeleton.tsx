import { useEffect, useState } from 'react';
import styles from './skeleton.module.css';

/** Answers that come sooner are not announced: something that flashes up is worse than nothing. */
const QUICK_MS = 300;

/** True once something has been awaited for long enough to say so. */
export function useSlow(waiting: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!waiting) return;
    const timer = setTimeout(() => setSlow(true), QUICK_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  return slow && waiting;
}

/** Stands where content will be; shows itself only when that takes a while. */
export function Skeleton({ lines = 3, label = 'Loading' }: { readonly lines?: number; readonly label?: string }) {
  const slow = useSlow(true);
  if (!slow) return null;
  return (
    <div className={styles.skeleton} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <span key={index} className={styles.line} />
      ))}
    </div>
  );
}
