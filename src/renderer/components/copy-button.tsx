import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import styles from './copy-button.module.css';
import { copyText, NOT_COPIED } from './copy-text.ts';

const SHOWN_MS = 1500;
/** Time to read what to do instead. */
const FAILED_MS = 8000;

/** Copies a text and says so, or that it could not. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [state, setState] = useState<'ready' | 'done' | 'failed'>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), state === 'done' ? SHOWN_MS : FAILED_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <>
      <button
        type="button"
        className={styles.copy}
        aria-label={state === 'done' ? 'Copied' : label}
        title={label}
        onClick={() => void copyText(text).then((done) => setState(done ? 'done' : 'failed'))}
      >
        {state === 'done' ? (
          <Check aria-hidden="true" />
        ) : state === 'failed' ? (
          <X aria-hidden="true" />
        ) : (
          <Copy aria-hidden="true" />
        )}
      </button>
      {state === 'failed' ? (
        <span role="alert" className={styles.failed}>
          {NOT_COPIED}
        </span>
      ) : null}
    </>
  );
}
