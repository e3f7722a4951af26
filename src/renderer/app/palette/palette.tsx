import { Dialog } from '@base-ui/react/dialog';
import { Bot, CornerDownLeft, LayoutGrid, Search, Zap } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { type Command, commandsOf, type Does, type Found, find, indexIn, type Known, moved } from './commands.ts';
import styles from './palette.module.css';

const ICONS = { Bots: Bot, Places: LayoutGrid, Actions: Zap } as const;

/** A word with the letters that fit set apart. */
function Marked({ text, marks }: { readonly text: string; readonly marks: readonly number[] }) {
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

interface RowProps {
  readonly id: string;
  readonly found: Found;
  readonly isChosen: boolean;
  readonly onPoint: () => void;
  readonly onPick: () => void;
}

function Row({ id, found: { command, marks }, isChosen, onPoint, onPick }: RowProps) {
  const Icon = ICONS[command.group];
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
      <Icon className={styles.icon} aria-hidden="true" />
      <span className={styles.word}>
        <Marked text={command.word} marks={marks} />
      </span>
      <span className={styles.note}>{command.note}</span>
      {isChosen ? <CornerDownLeft className={styles.enter} aria-hidden="true" /> : null}
    </div>
  );
}

interface PaletteProps {
  readonly open: boolean;
  readonly known: Known;
  readonly onClose: () => void;
  readonly onDo: (does: Does) => void;
}

/** Everything by its name: type, choose with the arrow keys, Enter. */
export function Palette({ open, known, onClose, onDo }: PaletteProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <Dialog.Title className="visually-hidden">Commands</Dialog.Title>
          <Chooser
            known={known}
            onPick={({ does }) => {
              onClose();
              onDo(does);
            }}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Chooser({ known, onPick }: { readonly known: Known; readonly onPick: (command: Command) => void }) {
  const [typed, setTyped] = useState('');
  const [chosenId, setChosenId] = useState<string | null>(null);
  // What happens in the fleet meanwhile moves nothing under the hand; bots that were not read yet are taken in.
  const [held, setHeld] = useState(known);
  if (held.bots.length === 0 && known.bots.length > 0) setHeld(known);
  const list = useId();
  const found = useMemo(() => find(commandsOf(held), typed), [held, typed]);
  const chosen = indexIn(found, chosenId);
  const choose = (index: number): void => setChosenId(found[index]?.command.id ?? null);
  const onKey = (event: KeyboardEvent): void => {
    const next = moved(event.key, chosen, found.length);
    if (next !== null) {
      event.preventDefault();
      choose(next);
      return;
    }
    const command = found[chosen]?.command;
    if (event.key !== 'Enter' || command === undefined) return;
    event.preventDefault();
    onPick(command);
  };
  return (
    <>
      <div className={styles.head}>
        <Search className={styles.icon} aria-hidden="true" />
        <input
          className={styles.input}
          role="combobox"
          aria-label="Search bots, places and actions"
          aria-expanded={true}
          aria-controls={list}
          aria-activedescendant={found.length === 0 ? undefined : `${list}-${chosen}`}
          // biome-ignore lint/a11y/noAutofocus: the window was opened to type, and its own focus comes a moment later
          autoFocus={true}
          placeholder="Search bots, places and actions"
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
      {found.length === 0 ? <p className={styles.none}>Nothing is called “{typed.trim()}”.</p> : null}
      <div id={list} role="listbox" aria-label="Results" className={styles.list}>
        {found.map((one, index) => (
          <Row
            key={one.command.id}
            id={`${list}-${index}`}
            found={one}
            isChosen={index === chosen}
            onPoint={() => choose(index)}
            onPick={() => onPick(one.command)}
          />
        ))}
      </div>
      <p role="status" className="visually-hidden">
        {found.length === 1 ? '1 result' : `${found.length} results`}
      </p>
    </>
  );
}
