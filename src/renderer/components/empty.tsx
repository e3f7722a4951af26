import type { ReactNode } from 'react';
import styles from './empty.module.css';

/** Nothing is here yet: one line that says so, and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children}
    </div>
  );
}
