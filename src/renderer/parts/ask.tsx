import { type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './ask.module.css';
import { Button } from './button.tsx';

interface AskProps {
  readonly title: string;
  readonly children: ReactNode;
  /** What the button does: a verb and its object. */
  readonly action: string;
  readonly danger?: boolean;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be taken back. Escape and the other button leave all as it is. */
export function Ask({ title, children, action, danger = false, busy = false, onConfirm, onClose }: AskProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <div className={styles.body}>{children}</div>
      <div className={styles.actions}>
        <Button onClick={() => dialog.current?.close()}>Cancel</Button>
        <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </dialog>
  );
}
