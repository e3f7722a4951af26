import { TriangleAlert } from 'lucide-react';
import { CopyButton } from './copy-button.tsx';
import styles from './error-note.module.css';
import { Ticked } from './ticked.tsx';

/** What an error of the host is made of, as far as people are shown it. */
export interface ShownError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly details?: unknown;
  readonly requestId?: string | null;
}

interface Problem {
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

function problemsOf(details: unknown): readonly Problem[] {
  if (!Array.isArray(details)) return [];
  return details.filter(
    (one): one is Problem => typeof one === 'object' && one !== null && 'path' in one && 'message' in one,
  );
}

/** What happened, why, what to do, and the code to look up or pass on. */
export function ErrorNote({ error }: { readonly error: ShownError }) {
  const problems = problemsOf(error.details);
  const text = [`${error.code}: ${error.message}`, error.hint, error.requestId].filter(Boolean).join('\n');
  return (
    <div className={styles.note} role="alert">
      <TriangleAlert className={styles.icon} aria-hidden="true" />
      <div className={styles.words}>
        <p className={styles.message}>{error.message}</p>
        {problems.length === 0 ? null : (
          <ul className={styles.problems}>
            {problems.map((one) => (
              <li key={`${one.path} ${one.message}`}>
                {one.path === '' ? null : <code>{one.path}</code>} {one.message}
                {one.hint === undefined ? null : <span className={styles.hint}> {one.hint}</span>}
              </li>
            ))}
          </ul>
        )}
        {error.hint === null ? null : (
          <p className={styles.hint}>
            <Ticked text={error.hint} />
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
