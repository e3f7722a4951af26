import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { ErrorNote } from './error-note.tsx';
import type { ShownError } from './error-words.ts';
import { Field } from './field.tsx';
import { isOnTop } from './top-dialog.tsx';

interface AskedProps {
  readonly title: string;
  /** Consequences of a yes. */
  readonly children?: ReactNode;
  /** The label of the button: the action itself, such as "Revoke", never "OK". */
  readonly label: string;
  /** False for an action that can be taken back. */
  readonly danger?: boolean;
  /** Text that the user must type before the button works: for a running bot, or an irreversible step. */
  readonly typed?: { readonly text: string; readonly label: string } | undefined;
  readonly busy?: boolean;
  readonly error?: ShownError | null;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** Asks before an action that cannot be taken back, or that affects many. Escape and Cancel do nothing. */
export function Confirm({ open, ...asked }: AskedProps & { readonly open: boolean }) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next, { event }) => next || isOnTop(event) || asked.onCancel()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.popup}>
          <Asked {...asked} />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function Asked({
  title,
  children,
  label,
  danger = true,
  typed,
  busy = false,
  error = null,
  onConfirm,
  onCancel,
}: AskedProps) {
  const [text, setText] = useState('');
  const isReady = typed === undefined || text === typed.text;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // Answering this question must not submit the form around it.
    event.stopPropagation();
    if (isReady && !busy) onConfirm();
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
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind={danger ? 'danger' : 'primary'} type="submit" disabled={!isReady} busy={busy}>
          {label}
        </Button>
      </div>
    </form>
  );
}
