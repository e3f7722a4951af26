import type { ReactNode } from 'react';
import styles from './tile.module.css';

/** A row of values that fills the width there is. */
export function Tiles({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <dl className={styles.tiles} aria-label={label}>
      {children}
    </dl>
  );
}

/** One value with its name; the note says what else is to be known. */
export function Tile({
  name,
  children,
  note,
  isWide = false,
}: {
  readonly name: ReactNode;
  readonly children: ReactNode;
  readonly note?: ReactNode;
  /** For values that are sentences. */
  readonly isWide?: boolean;
}) {
  return (
    <div className={`${styles.tile} ${isWide ? styles.wide : ''}`}>
      <dt>{name}</dt>
      <dd className={styles.value}>{children}</dd>
      {note === undefined || note === null ? null : <dd className={styles.note}>{note}</dd>}
    </div>
  );
}
