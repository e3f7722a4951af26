import styles from './skeleton.module.css';

/** Placeholder while loading, invisible for the first 300 ms: most answers are faster, and a flash is noise. */
export function Skeleton({ rows = 3, label = 'Loading' }: { readonly rows?: number; readonly label?: string }) {
  return (
    <div className={styles.skeleton} role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <span key={row} className={styles.row} />
      ))}
    </div>
  );
}
