import type { ReactNode } from 'react';
import styles from './bot-panel.module.css';

interface PartProps {
  readonly title: string;
  readonly action?: ReactNode;
  /** Takes the height that is left. */
  readonly grows?: boolean;
  readonly children: ReactNode;
}

/** A titled part of the panel. */
export function PanelPart({ title, action, grows = false, children }: PartProps) {
  return (
    <div className={`${styles.part} ${grows ? styles.grows : ''}`}>
      <h3 className={styles.heading}>
        {title} {action}
      </h3>
      {children}
    </div>
  );
}
