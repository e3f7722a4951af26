import { Dialog } from '@base-ui/react/dialog';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { moved } from '../../app/palette/commands.ts';
import { fuzzy } from '../../app/palette/fuzzy.ts';
import styles from './quick-open.module.css';

const MOST = 40;

interface QuickOpenProps {
  readonly paths: readonly string[];
  readonly onPick: (path: string) => void;
  readonly onClose: () => void;
}

/** A file by some letters of its path. */
export function QuickOpen({ paths, onPick, onClose }: QuickOpenProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const found = useMemo(() => {
    if (text.trim() === '') return paths.slice(0, MOST);
    return paths
      .flatMap((path) => {
        const match = fuzzy(text, path, '');
        return match === null ? [] : [{ path, score: match.score }];
      })
      .sort((a, b) => b.score - a.score || a.path.length - b.path.length)
      .slice(0, MOST)
      .map(({ path }) => path);
  }, [paths, text]);
  const chosen = found[Math.min(at, found.length - 1)];
  const onKey = (event: KeyboardEvent): void => {
    const next = moved(event.key, at, found.length);
    if (next !== null && event.key.startsWith('Arrow')) {
      event.preventDefault();
      setAt(next);
    } else if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault();
      onPick(chosen);
    }
  };
  return (
    <Dialog.Root open={true} onOpenChange={(next) => next || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <Dialog.Title className="visually-hidden">Open a file</Dialog.Title>
          <input
            className={styles.input}
            role="combobox"
            aria-label="File"
            aria-expanded={true}
            aria-controls={`${id}-list`}
            aria-activedescendant={chosen === undefined ? undefined : `${id}-${chosen}`}
            placeholder="Name of a file"
            spellCheck={false}
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              setAt(0);
            }}
            onKeyDown={onKey}
          />
          <div id={`${id}-list`} role="listbox" aria-label="Files" className={styles.list}>
            {found.map((path) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the input, which names the row as its active one
              <div
                key={path}
                id={`${id}-${path}`}
                role="option"
                aria-selected={path === chosen}
                tabIndex={-1}
                className={styles.row}
                onClick={() => onPick(path)}
              >
                <span>{path.split('/').at(-1)}</span>
                <span className={styles.folder}>{path.split('/').slice(0, -1).join('/')}</span>
              </div>
            ))}
            {found.length === 0 ? <p className={styles.none}>No file is called like that.</p> : null}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
