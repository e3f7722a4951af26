import styles from './skeleton.module.css';

/** Where something will stand. It is not seen for the first moments, so that what comes at once does not flicker. */
export function Skeleton({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div className={styles.rows} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows that are all the same
        <div key={i} className={styles.row} />
      ))}
    </div>
  );
}
