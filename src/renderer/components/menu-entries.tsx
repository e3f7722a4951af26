import { Menu } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './menu-entries.module.css';

interface WithChildren {
  readonly children: ReactNode;
}

/** Sheet of a menu, with its entries, below its button. */
export function MenuSheet({ children }: WithChildren) {
  return (
    <Menu.Portal>
      <Menu.Positioner className={styles.positioner} sideOffset={4} align="end">
        <Menu.Popup className={styles.popup}>{children}</Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  );
}

/** Entry that carries out an action. `danger` for an action that cannot be taken back. */
export function MenuItem({
  danger = false,
  disabled = false,
  onPick,
  children,
}: WithChildren & { readonly danger?: boolean; readonly disabled?: boolean; readonly onPick: () => void }) {
  return (
    <Menu.Item className={`${styles.item} ${danger ? styles.danger : ''}`} disabled={disabled} onClick={onPick}>
      {children}
    </Menu.Item>
  );
}

/** Entry that is on or off. */
export function MenuCheck({
  checked,
  onChange,
  children,
}: WithChildren & { readonly checked: boolean; readonly onChange: (checked: boolean) => void }) {
  return (
    <Menu.CheckboxItem className={styles.item} checked={checked} onCheckedChange={onChange}>
      <span className={styles.tick}>
        <Menu.CheckboxItemIndicator>
          <Check aria-hidden="true" />
        </Menu.CheckboxItemIndicator>
      </span>
      {children}
    </Menu.CheckboxItem>
  );
}

/** Choice of one option, under a title. */
export function MenuChoice<T extends string>({
  title,
  value,
  options,
  onChange,
}: {
  readonly title: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
}) {
  return (
    <Menu.RadioGroup value={value} onValueChange={onChange}>
      <MenuGroup title={title}>
        {options.map((one) => (
          <Menu.RadioItem key={one.value} className={styles.item} value={one.value}>
            <span className={styles.tick}>
              <Menu.RadioItemIndicator>
                <Check aria-hidden="true" />
              </Menu.RadioItemIndicator>
            </span>
            {one.label}
          </Menu.RadioItem>
        ))}
      </MenuGroup>
    </Menu.RadioGroup>
  );
}

/** Entries that belong together. */
export function MenuGroup({ title, children }: WithChildren & { readonly title?: string }) {
  return (
    <Menu.Group>
      {title === undefined ? null : <Menu.GroupLabel className={styles.label}>{title}</Menu.GroupLabel>}
      {children}
    </Menu.Group>
  );
}

/** Line between groups of entries. */
export function MenuRule() {
  return <Menu.Separator className={styles.rule} />;
}
