import { Dialog } from '../../components/dialog.tsx';
import { MOD } from '../../components/modifier-key.ts';
import { PAGES } from '../navigation-pages.ts';
import styles from './shortcut-sheet.module.css';

const SHORTCUTS: readonly { readonly title: string; readonly rows: readonly (readonly [string[], string])[] }[] = [
  {
    title: 'Anywhere',
    rows: [
      [[MOD, 'K'], 'Commands: bots, pages, actions'],
      [['/'], 'Search in this page'],
      [['?'], 'This sheet'],
      [['Esc'], 'Close what is open'],
    ],
  },
  {
    title: 'In the fleet',
    rows: [
      [['↑', '↓'], 'Another bot, beside the table'],
      [['Enter'], 'Its page'],
      [['Space'], 'Select it'],
    ],
  },
  {
    title: 'In the editor',
    rows: [
      [[MOD, 'S'], 'Save'],
      [[MOD, 'P'], 'Open a file by its name'],
      [[MOD, 'Shift', 'F'], 'Search in files'],
      [[MOD, 'Shift', 'H'], 'Replace in files'],
      [[MOD, 'Shift', 'Enter'], 'Run locally, or stop'],
      [['F8'], 'Next problem'],
    ],
  },
  { title: 'Go to', rows: PAGES.map(({ key, label, inSheet }) => [['g', key], inSheet ?? label] as const) },
];

/** The keys that do something, on `?`. */
export function ShortcutSheet({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} title="Keyboard shortcuts" onClose={onClose}>
      {SHORTCUTS.map(({ title, rows }) => (
        <section key={title} aria-label={title}>
          <h3 className={styles.title}>{title}</h3>
          <dl className={styles.rows}>
            {rows.map(([keys, label]) => (
              <div key={label} className={styles.row}>
                <dt>{label}</dt>
                <dd className={styles.keys}>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p className={styles.note}>Keys without Ctrl or ⌘ do nothing while you type into a field.</p>
    </Dialog>
  );
}
