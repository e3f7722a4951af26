import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Ticked } from './backtick-text.tsx';
import styles from './toast.module.css';

/** Content of a toast; data/toasts.ts makes them. */
export interface ShownToast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
  readonly hint: string | null;
  readonly undo: (() => void) | null;
}

interface OneProps {
  readonly toast: ShownToast;
  /** Null: until it is taken away. */
  readonly lifetime: number | null;
  readonly onGone: () => void;
}

function One({ toast, lifetime, onGone }: OneProps) {
  const [held, setHeld] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function for the same toast must not restart its time
  useEffect(() => {
    if (lifetime === null || held) return;
    const timer = setTimeout(onGone, lifetime);
    return () => clearTimeout(timer);
  }, [lifetime, held]);
  const failed = toast.kind === 'failed';
  const Icon = failed ? CircleAlert : CircleCheck;
  const undo = toast.undo;
  return (
    <li
      className={styles.toast}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon className={`${styles.icon} ${failed ? styles.failed : styles.done}`} aria-hidden="true" />
      <div className={styles.words}>
        <p>{toast.text}</p>
        {toast.hint === null ? null : (
          <p className={styles.hint}>
            <Ticked text={toast.hint} />
          </p>
        )}
      </div>
      {undo === null ? null : (
        <button
          type="button"
          className={styles.undo}
          onClick={() => {
            undo();
            onGone();
          }}
        >
          Undo
        </button>
      )}
      <button type="button" className={styles.close} aria-label="Dismiss" title="Dismiss" onClick={onGone}>
        <X aria-hidden="true" />
      </button>
    </li>
  );
}

interface ToastsProps {
  readonly list: readonly ShownToast[];
  readonly lifetimeOf: (toast: ShownToast) => number | null;
  readonly onGone: (id: number) => void;
}

/** Messages at the edge of the page; they stay while a pointer or the focus is on them. */
export function Toasts({ list, lifetimeOf, onGone }: ToastsProps) {
  return (
    <section className={styles.corner} aria-label="Messages" aria-live="polite">
      <ul className={styles.list}>
        {list.map((toast) => (
          <One key={toast.id} toast={toast} lifetime={lifetimeOf(toast)} onGone={() => onGone(toast.id)} />
        ))}
      </ul>
    </section>
  );
}
