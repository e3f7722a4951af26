import { Menu as Base } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './menu.module.css';

/** One thing that a menu offers. */
export interface MenuAction {
  readonly word: string;
  readonly icon?: ReactNode;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly run: () => void;
}

/** Everything that can be done with something, behind one button. Groups are parted by a rule. */
export function ActionsMenu({
  label,
  groups,
}: {
  readonly label: string;
  readonly groups: readonly (readonly MenuAction[])[];
}) {
  const shown = groups.filter((group) => group.length > 0);
  return (
    <Base.Root modal={false}>
      <Base.Trigger className={styles.trigger} aria-label={label} title={label}>
        <Ellipsis aria-hidden="true" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={styles.positioner} sideOffset={4} align="end">
          <Base.Popup className={styles.popup}>
            {shown.map((group, index) => (
              <Base.Group key={group[0]?.word} className={index === 0 ? undefined : styles.next}>
                {group.map(({ word, icon, danger, disabled, run }) => (
                  <Base.Item
                    key={word}
                    className={`${styles.item} ${danger === true ? styles.danger : ''}`}
                    disabled={disabled === true}
                    onClick={run}
                  >
                    {icon}
                    {word}
                  </Base.Item>
                ))}
              </Base.Group>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
