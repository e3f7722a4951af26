import { Menu } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import styles from './actions-menu.module.css';
import { MenuGroup, MenuItem, MenuRule, MenuSheet } from './menu-entries.tsx';

/** One thing that a menu offers. */
export interface MenuAction {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly run: () => void;
}

/** Everything that can be done with something, behind one button. Groups are parted by a rule. */
export function ActionsMenu({
  label,
  groups,
  tabIndex,
}: {
  readonly label: string;
  /** -1 in a row of a table whose rows share one stop of the keyboard, unless it is the row that has it. */
  readonly tabIndex?: number;
  readonly groups: readonly (readonly MenuAction[])[];
}) {
  const shown = groups.filter((group) => group.length > 0);
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.trigger} aria-label={label} title={label} tabIndex={tabIndex ?? 0}>
        <Ellipsis aria-hidden="true" />
      </Menu.Trigger>
      <MenuSheet>
        {shown.map((group, index) => (
          <Fragment key={group[0]?.label}>
            {index === 0 ? null : <MenuRule />}
            <MenuGroup>
              {group.map(({ label, icon, danger = false, disabled = false, run }) => (
                <MenuItem key={label} danger={danger} disabled={disabled} onPick={run}>
                  {icon}
                  {label}
                </MenuItem>
              ))}
            </MenuGroup>
          </Fragment>
        ))}
      </MenuSheet>
    </Menu.Root>
  );
}
