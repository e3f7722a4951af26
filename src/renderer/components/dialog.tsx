import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import styles from './dialog.module.css';
import { isOnTop } from './top-dialog.tsx';

interface DialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** A window over the page with a title; Escape or a click beside it closes it. */
export function Dialog({ open, title, children, onClose }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next, { event }) => next || isOnTop(event) || onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        {/* On a low screen it scrolls, also by the keyboard. */}
        <Base.Popup className={styles.popup} tabIndex={0}>
          <Base.Title className={styles.title}>{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
