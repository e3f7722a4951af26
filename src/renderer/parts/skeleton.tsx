import { useEffect, useState } from 'react';
import styles from './skeleton.module.css';

const QUIET_MS = 300;

/** What is on its way. Nothing at first: most answers are there before anybody would look for them. */
export function Skeleton({ lines }: { readonly lines: number }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!late) return null;
  return (
    <div className={styles.skeleton} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => `line ${line}`).map((key) => (
        <span key={key} className={styles.line} />
      ))}
    </div>
  );
}
