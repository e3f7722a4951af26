import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import styles from './finder.module.css';
import { indexOfId, moved } from './finder-selection.ts';

interface FinderWindowProps {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Window of a finder. */
export function FinderWindow({ open, title, onClose, children }: FinderWindowProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <Dialog.Title className="visually-hidden">{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface FinderProps<T> {
  /** Name of the text field. */
  readonly label: string;
  /** Returns the entries that match a text, the best first. Keep it the same as long as it finds the same. */
  readonly find: (typed: string) => readonly T[];
  readonly idOf: (one: T) => string;
  readonly row: (one: T, isChosen: boolean) => ReactNode;
  readonly none: (typed: string) => string;
  readonly onPick: (one: T) => void;
}

/** Finds an entry by some letters of its name: type, choose with the arrow keys, Enter. */
export function Finder<T>({ label, find, idOf, row, none, onPick }: FinderProps<T>) {
  const [typed, setTyped] = useState('');
  const [chosenId, setChosenId] = useState<string | null>(null);
  const list = useId();
  const found = useMemo(() => find(typed), [find, typed]);
  const chosen = indexOfId(found.map(idOf), chosenId);
  const choose = (index: number): void => {
    const one = found[index];
    setChosenId(one === undefined ? null : idOf(one));
  };
  const onKey = (event: KeyboardEvent): void => {
    const next = moved(event.key, chosen, found.length);
    if (next !== null) {
      event.preventDefault();
      choose(next);
      return;
    }
    const one = found[chosen];
    if (event.key !== 'Enter' || one === undefined) return;
    event.preventDefault();
    onPick(one);
  };
  return (
    <>
      <div className={styles.head}>
        <Search className={styles.icon} aria-hidden="true" />
        <input
          className={styles.input}
          role="combobox"
          aria-label={label}
          aria-expanded={true}
          aria-controls={list}
          aria-activedescendant={found.length === 0 ? undefined : `${list}-${chosen}`}
          // biome-ignore lint/a11y/noAutofocus: the window was opened to type, and its own focus comes a moment later
          autoFocus={true}
          placeholder={label}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setChosenId(null);
          }}
          onKeyDown={onKey}
        />
      </div>
      {found.length === 0 ? <p className={styles.none}>{none(typed.trim())}</p> : null}
      <div id={list} role="listbox" aria-label="Results" className={styles.list}>
        {found.map((one, index) => (
          <Row
            key={idOf(one)}
            id={`${list}-${index}`}
            isChosen={index === chosen}
            onPoint={() => choose(index)}
            onPick={() => onPick(one)}
          >
            {row(one, index === chosen)}
          </Row>
        ))}
      </div>
      <p role="status" className="visually-hidden">
        {found.length === 1 ? '1 result' : `${found.length} results`}
      </p>
    </>
  );
}

interface RowProps {
  readonly id: string;
  readonly isChosen: boolean;
  readonly onPoint: () => void;
  readonly onPick: () => void;
  readonly children: ReactNode;
}

function Row({ id, isChosen, onPoint, onPick, children }: RowProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the input, which names the row as its active one
    <div
      ref={ref}
      id={id}
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      className={styles.row}
      onPointerMove={() => isChosen || onPoint()}
      onClick={onPick}
    >
      {children}
    </div>
  );
}

/** A word in which the matching letters are set apart. */
export function Marked({ text, marks }: { readonly text: string; readonly marks: readonly number[] }) {
  if (marks.length === 0) return <>{text}</>;
  const marked = new Set(marks);
  return (
    <>
      {[...text].map((letter, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: a letter is its place
        marked.has(index) ? <mark key={index}>{letter}</mark> : letter,
      )}
    </>
  );
}
