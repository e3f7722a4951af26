import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import styles from './dialog.module.css';

interface TopDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** True for an event inside of a dialog that lies above all others: what lies below must not take it for one of its own. */
export function isOnTop({ target }: Event): boolean {
  return target instanceof Element && target.closest('dialog') !== null;
}

/** A question that may come while another dialog is open: it lies above everything, in the top layer of the browser. */
export function TopDialog({ title, children, onClose }: TopDialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // A dialog that closes gives the focus back to where it was; one that only goes from the page does not.
    return () => shown?.close();
  }, []);
  return createPortal(
    <dialog
      ref={dialog}
      className={styles.top}
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // A dialog below would close as well, and keep the browser from closing this one.
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id} className={styles.title}>
        {title}
      </h2>
      {children}
    </dialog>,
    document.body,
  );
}
