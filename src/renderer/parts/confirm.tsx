import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { ErrorNote, type ShownError } from './error-note.tsx';

interface ConfirmProps {
  readonly open: boolean;
  readonly title: string;
  /** What follows from a yes. */
  readonly children?: ReactNode;
  /** The word on the button, such as "Revoke". */
  readonly word: string;
  readonly busy?: boolean;
  readonly error?: ShownError | null;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

/** Asks before something that cannot be taken back. Escape and Cancel do nothing. */
export function Confirm({ open, title, children, word, busy = false, error = null, onYes, onNo }: ConfirmProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => next || onNo()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.popup}>
          <AlertDialog.Title className={styles.title}>{title}</AlertDialog.Title>
          <AlertDialog.Description className={styles.words} render={<div />}>
            {children}
          </AlertDialog.Description>
          {error === null ? null : <ErrorNote error={error} />}
          <div className={styles.actions}>
            <Button onClick={onNo}>Cancel</Button>
            <Button kind="danger" busy={busy} onClick={onYes}>
              {word}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
