import { type ReactNode, useId } from 'react';
import styles from './section.module.css';

/** A part of a page under a heading of its own. */
export function Section({
  title,
  aside,
  children,
}: {
  readonly title: string;
  /** Beside the heading, at its right end. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {aside === undefined ? null : <div className={styles.aside}>{aside}</div>}
      </header>
      {children}
    </section>
  );
}
