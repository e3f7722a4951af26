import { Menu } from '@base-ui/react/menu';
import { Download, SlidersHorizontal } from 'lucide-react';
import { MenuCheck, MenuChoice, MenuGroup, MenuItem, MenuRule, MenuSheet } from '../../../components/menu-entries.tsx';
import type { DownloadForm } from './log-download.ts';
import type { Stamp } from './stamps.ts';
import styles from './toolbar.module.css';

interface ViewMenuProps {
  readonly wrap: boolean;
  readonly stamp: Stamp;
  readonly onWrap: (wrap: boolean) => void;
  readonly onStamp: (stamp: Stamp) => void;
}

const STAMPS: readonly { readonly value: Stamp; readonly label: string }[] = [
  { value: 'local', label: 'Local time' },
  { value: 'UTC', label: 'UTC' },
  { value: 'relative', label: 'How long ago' },
];

/** Menu for the display of lines. */
export function ViewMenu({ wrap, stamp, onWrap, onStamp }: ViewMenuProps) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.tool} aria-label="View" title="How lines are shown">
        <SlidersHorizontal aria-hidden="true" />
      </Menu.Trigger>
      <MenuSheet>
        <MenuCheck checked={wrap} onChange={onWrap}>
          Wrap long lines <kbd>w</kbd>
        </MenuCheck>
        <MenuRule />
        <MenuChoice title="Times" value={stamp} options={STAMPS} onChange={onStamp} />
      </MenuSheet>
    </Menu.Root>
  );
}

interface DownloadMenuProps {
  readonly isFiltered: boolean;
  readonly busy: boolean;
  readonly onDownload: (what: 'shown' | 'all', form: DownloadForm) => void;
}

/** Saves lines as a file. */
export function DownloadMenu({ isFiltered, busy, onDownload }: DownloadMenuProps) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.tool} disabled={busy} aria-label="Download" title="Download lines as a file">
        <Download aria-hidden="true" />
      </Menu.Trigger>
      <MenuSheet>
        {isFiltered ? (
          <>
            <Forms title="What the filter matches" onPick={(form) => onDownload('shown', form)} />
            <MenuRule />
          </>
        ) : null}
        <Forms title="The whole log" onPick={(form) => onDownload('all', form)} />
      </MenuSheet>
    </Menu.Root>
  );
}

function Forms({ title, onPick }: { readonly title: string; readonly onPick: (form: DownloadForm) => void }) {
  return (
    <MenuGroup title={title}>
      <MenuItem onPick={() => onPick('text')}>As text</MenuItem>
      <MenuItem onPick={() => onPick('json')}>As JSON lines</MenuItem>
    </MenuGroup>
  );
}
