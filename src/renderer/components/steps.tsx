import { Check, CircleAlert, CircleDashed, LoaderCircle } from 'lucide-react';
import type { Step } from './step.ts';
import styles from './steps.module.css';

const SIGNS = { waiting: CircleDashed, going: LoaderCircle, done: Check, failed: CircleAlert } as const;
const WORDS = { waiting: 'not yet', going: 'going on', done: 'done', failed: 'failed' } as const;

/** Steps that are done, running, or still to come. */
export function Steps({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol className={styles.steps} aria-live="polite">
      {steps.map(({ label, state, note }) => {
        const Sign = SIGNS[state];
        return (
          <li key={label} className={`${styles.step} ${styles[state]}`}>
            <Sign className={styles.sign} aria-hidden="true" />
            <span>
              {label}
              <span className="visually-hidden"> ({WORDS[state]})</span>
              {note === undefined ? null : <span className={styles.note}>{note}</span>}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
