import { Menu } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import styles from './row-menu.module.css';

/** One entry of a menu; `danger` for what cannot be taken back. */
export interface MenuEntry {
  readonly word: string;
  readonly danger?: boolean;
  readonly onPick: () => void;
}

/** What else can be done with a row of a table. */
export function RowMenu({ label, entries }: { readonly label: string; readonly entries: readonly MenuEntry[] }) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.trigger} aria-label={label}>
        <Ellipsis aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={4} className={styles.place}>
          <Menu.Popup className={styles.menu}>
            {entries.map(({ word, danger, onPick }) => (
              <Menu.Item key={word} className={`${styles.entry} ${danger ? styles.danger : ''}`} onClick={onPick}>
                {word}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
