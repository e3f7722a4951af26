import type { InstallSheet as Sheet } from '../../contract/permits.ts';
import { sheetSummary } from '../../shared/permit-words.ts';
import styles from './install-sheet.module.css';

/** What a version asks for, and what has changed since the version before it. */
export function InstallSheet({ sheet }: { readonly sheet: Sheet }) {
  const { wants, since, added, removed } = sheet;
  return (
    <div className={styles.sheet}>
      <p>{sheetSummary(sheet)}</p>
      {wants.length + removed.length === 0 ? null : (
        <ul className={styles.list} aria-label="Permits">
          {wants.map((line) => (
            <li key={line} className={styles.line}>
              <span>{line}</span>
              {added.includes(line) ? <span className={styles.fresh}>new since {since}</span> : null}
            </li>
          ))}
          {removed.map((line) => (
            <li key={line} className={styles.line}>
              <span className={styles.gone}>{line}</span>
              <span className={styles.mark}>removed since {since}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
