import { Menu } from '@base-ui/react/menu';
import { Check, Download, SlidersHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import type { DownloadForm } from './log-download.ts';
import type { Stamp } from './stamps.ts';
import styles from './toolbar.module.css';

function Popup({ children }: { readonly children: ReactNode }) {
  return (
    <Menu.Portal>
      <Menu.Positioner className={styles.positioner} sideOffset={4} align="end">
        <Menu.Popup className={styles.menu}>{children}</Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  );
}

interface ViewMenuProps {
  readonly wrap: boolean;
  readonly stamp: Stamp;
  readonly onWrap: (wrap: boolean) => void;
  readonly onStamp: (stamp: Stamp) => void;
}

const STAMPS: readonly (readonly [Stamp, string])[] = [
  ['local', 'Local time'],
  ['UTC', 'UTC'],
  ['relative', 'How long ago'],
];

/** How lines are shown. */
export function ViewMenu({ wrap, stamp, onWrap, onStamp }: ViewMenuProps) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.tool} aria-label="View" title="How lines are shown">
        <SlidersHorizontal aria-hidden="true" />
      </Menu.Trigger>
      <Popup>
        <Menu.CheckboxItem className={styles.item} checked={wrap} onCheckedChange={onWrap}>
          <span className={styles.tick}>
            <Menu.CheckboxItemIndicator>
              <Check aria-hidden="true" />
            </Menu.CheckboxItemIndicator>
          </span>
          Wrap long lines <kbd>w</kbd>
        </Menu.CheckboxItem>
        <Menu.Separator className={styles.separator} />
        <Menu.RadioGroup value={stamp} onValueChange={onStamp}>
          <Menu.Group>
            <Menu.GroupLabel className={styles.groupLabel}>Times</Menu.GroupLabel>
            {STAMPS.map(([value, word]) => (
              <Menu.RadioItem key={value} className={styles.item} value={value}>
                <span className={styles.tick}>
                  <Menu.RadioItemIndicator>
                    <Check aria-hidden="true" />
                  </Menu.RadioItemIndicator>
                </span>
                {word}
              </Menu.RadioItem>
            ))}
          </Menu.Group>
        </Menu.RadioGroup>
      </Popup>
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
      <Popup>
        {isFiltered ? (
          <>
            <Menu.Group>
              <Menu.GroupLabel className={styles.groupLabel}>What the filter keeps</Menu.GroupLabel>
              <Menu.Item className={styles.item} onClick={() => onDownload('shown', 'text')}>
                As text
              </Menu.Item>
              <Menu.Item className={styles.item} onClick={() => onDownload('shown', 'json')}>
                As JSON lines
              </Menu.Item>
            </Menu.Group>
            <Menu.Separator className={styles.separator} />
          </>
        ) : null}
        <Menu.Group>
          <Menu.GroupLabel className={styles.groupLabel}>The whole log</Menu.GroupLabel>
          <Menu.Item className={styles.item} onClick={() => onDownload('all', 'text')}>
            As text
          </Menu.Item>
          <Menu.Item className={styles.item} onClick={() => onDownload('all', 'json')}>
            As JSON lines
          </Menu.Item>
        </Menu.Group>
      </Popup>
    </Menu.Root>
  );
}
