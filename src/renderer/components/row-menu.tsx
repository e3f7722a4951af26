import { Menu } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import { MenuItem, MenuSheet } from './menu-entries.tsx';
import styles from './row-menu.module.css';

/** One entry of a menu; `danger` for an action that cannot be taken back. */
export interface MenuEntry {
  readonly label: string;
  readonly danger?: boolean;
  readonly onPick: () => void;
}

/** Menu of further actions on a row of a table. */
export function RowMenu({ label, entries }: { readonly label: string; readonly entries: readonly MenuEntry[] }) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.trigger} aria-label={label}>
        <Ellipsis aria-hidden="true" />
      </Menu.Trigger>
      <MenuSheet>
        {entries.map(({ label, danger = false, onPick }) => (
          <MenuItem key={label} danger={danger} onPick={onPick}>
            {label}
          </MenuItem>
        ))}
      </MenuSheet>
    </Menu.Root>
  );
}
