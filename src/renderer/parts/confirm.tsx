import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { ErrorNote } from './error-note.tsx';
import type { ShownError } from './error-words.ts';
import { Field } from './field.tsx';

interface AskedProps {
  readonly title: string;
  /** What follows from a yes. */
  readonly children?: ReactNode;
  /** The word on the button: the deed itself, such as "Revoke", never "OK". */
  readonly word: string;
  /** False: it can be taken back. */
  readonly danger?: boolean;
  /** To be typed before the button works: for what is running or cannot be had back. */
  readonly typed?: { readonly text: string; readonly label: string } | undefined;
  readonly busy?: boolean;
  readonly error?: ShownError | null;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

/** Asks before something that cannot be taken back, or that many feel. Escape and Cancel do nothing. */
export function Confirm({ open, ...asked }: AskedProps & { readonly open: boolean }) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => next || asked.onNo()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.popup}>
          <Asked {...asked} />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function Asked({ title, children, word, danger = true, typed, busy = false, error = null, onYes, onNo }: AskedProps) {
  const [text, setText] = useState('');
  const isReady = typed === undefined || text === typed.text;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // What is asked in a form is not an answer to that form.
    event.stopPropagation();
    if (isReady && !busy) onYes();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <AlertDialog.Title className={styles.title}>{title}</AlertDialog.Title>
      <AlertDialog.Description className={styles.words} render={<div />}>
        {children}
      </AlertDialog.Description>
      {typed === undefined ? null : (
        <Field label={typed.label} value={text} onChange={setText} autoComplete="off" spellCheck={false} />
      )}
      {error === null ? null : <ErrorNote error={error} />}
      <div className={styles.actions}>
        <Button onClick={onNo}>Cancel</Button>
        <Button kind={danger ? 'danger' : 'primary'} type="submit" disabled={!isReady} busy={busy}>
          {word}
        </Button>
      </div>
    </form>
  );
}
