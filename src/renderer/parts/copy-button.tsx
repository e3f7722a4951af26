import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import styles from './copy-button.module.css';

const SHOWN_MS = 1500;

/** Copies a text and says so. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <button
      type="button"
      className={styles.copy}
      aria-label={done ? 'Copied' : label}
      title={label}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}
    >
      {done ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
    </button>
  );
}
