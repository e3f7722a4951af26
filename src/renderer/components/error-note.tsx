import { TriangleAlert } from 'lucide-react';
import { Ticked } from './backtick-text.tsx';
import { CopyButton } from './copy-button.tsx';
import styles from './error-note.module.css';
import { errorWords, type ShownError } from './error-words.ts';

/** Note with the event, its causes, the remedy, and the code to look up or pass on. */
export function ErrorNote({ error }: { readonly error: ShownError }) {
  const { message, problems, hint, text } = errorWords(error);
  return (
    <div className={styles.note} role="alert">
      <TriangleAlert className={styles.icon} aria-hidden="true" />
      <div className={styles.words}>
        <p className={styles.message}>{message}</p>
        {problems.length === 0 ? null : (
          <ul className={styles.problems}>
            {problems.map((one) => (
              <li key={`${one.path} ${one.message}`}>
                {one.path === '' ? null : <code>{one.path}</code>} {one.message}
                {one.hint === undefined ? null : (
                  <span className={styles.hint}>
                    {' '}
                    <Ticked text={one.hint} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
        {hint === null ? null : (
          <p className={styles.hint}>
            <Ticked text={hint} />
          </p>
        )}
        <p className={styles.code}>
          <code>{error.code}</code>
          <CopyButton text={text} label="Copy error" />
        </p>
      </div>
    </div>
  );
}
