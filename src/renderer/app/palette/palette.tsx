import { Bot, CornerDownLeft, LayoutGrid, Zap } from 'lucide-react';
import { useCallback, useState } from 'react';
import { Finder, FinderWindow, Marked } from '../../components/finder.tsx';
import { commandsOf, type Does, type Found, find, type Known } from './commands.ts';
import styles from './palette.module.css';

const ICONS = { Bots: Bot, Pages: LayoutGrid, Actions: Zap } as const;

interface PaletteProps {
  readonly open: boolean;
  readonly known: Known;
  readonly onClose: () => void;
  readonly onDo: (does: Does) => void;
}

/** Everything by its name. */
export function Palette({ open, known, onClose, onDo }: PaletteProps) {
  const pick = ({ command }: Found): void => {
    onClose();
    onDo(command.does);
  };
  return (
    <FinderWindow open={open} title="Commands" onClose={onClose}>
      <Commands known={known} onPick={pick} />
    </FinderWindow>
  );
}

function Commands({ known, onPick }: { readonly known: Known; readonly onPick: (found: Found) => void }) {
  // Changes of the fleet move no entry while the user chooses; bots that were still loading are added.
  const [held, setHeld] = useState(known);
  if (held.bots.length === 0 && known.bots.length > 0) setHeld(known);
  return (
    <Finder
      label="Search bots, pages and actions"
      find={useCallback((typed: string) => find(commandsOf(held), typed), [held])}
      idOf={({ command }) => command.id}
      none={(typed) => `Nothing is called “${typed}”.`}
      row={(found, isChosen) => <Command found={found} isChosen={isChosen} />}
      onPick={onPick}
    />
  );
}

function Command({ found: { command, marks }, isChosen }: { readonly found: Found; readonly isChosen: boolean }) {
  const Icon = ICONS[command.group];
  return (
    <>
      <Icon className={styles.icon} aria-hidden="true" />
      <span className={styles.label}>
        <Marked text={command.label} marks={marks} />
      </span>
      <span className={styles.note}>{command.note}</span>
      {isChosen ? <CornerDownLeft className={styles.enter} aria-hidden="true" /> : null}
    </>
  );
}
