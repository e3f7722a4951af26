import { Dialog } from '@base-ui/react/dialog';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import styles from './confirm-dialog.module.css';
import { ErrorNote, type ShownError } from './error-note.tsx';
import { Field } from './field.tsx';

interface ConfirmProps {
  readonly open: boolean;
  readonly title: string;
  readonly children: ReactNode;
  /** What the button says: the deed itself, never "OK". */
  readonly word: string;
  /** To be typed before the button works: for what is running or cannot be had back. */
  readonly typed?: { readonly text: string; readonly label: string } | undefined;
  readonly busy: boolean;
  readonly error: ShownError | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog(props: ConfirmProps) {
  return (
    <Dialog.Root open={props.open} onOpenChange={(open) => open || props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <Confirm {...props} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Confirm({ title, children, word, typed, busy, error, onConfirm }: ConfirmProps) {
  const [text, setText] = useState('');
  const ready = typed === undefined || text === typed.text;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ready && !busy) onConfirm();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Dialog.Title className={styles.title}>{title}</Dialog.Title>
      <Dialog.Description className={styles.words} render={<div />}>
        {children}
      </Dialog.Description>
      {typed === undefined ? null : (
        <Field label={typed.label} value={text} onChange={setText} autoComplete="off" spellCheck={false} />
      )}
      {error === null ? null : <ErrorNote error={error} />}
      <div className={styles.buttons}>
        <Dialog.Close render={<Button>Cancel</Button>} />
        <Button kind="danger" type="submit" disabled={!ready} busy={busy}>
          {word}
        </Button>
      </div>
    </form>
  );
}
