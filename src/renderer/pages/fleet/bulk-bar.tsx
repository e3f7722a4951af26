import { Play, RotateCw, Square, X } from 'lucide-react';
import { useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { BULK, type BulkAction, needsConfirmation } from './bulk-actions.ts';
import styles from './bulk-bar.module.css';
import type { Bulk } from './use-bulk.ts';

const ICONS = { start: Play, stop: Square, restart: RotateCw } as const;
const ACTIONS: readonly BulkAction[] = ['start', 'stop', 'restart'];

interface BarProps {
  readonly bots: readonly Bot[];
  readonly bulk: Bulk;
  readonly onClear: () => void;
}

/** Actions on all chosen bots, and their outcome. */
export function BulkBar({ bots, bulk: { busy, outcome, act }, onClear }: BarProps) {
  const [asked, setAsked] = useState<{ readonly action: BulkAction; readonly bots: readonly Bot[] } | null>(null);
  const [isAsking, setAsking] = useState(false);
  const choose = (action: BulkAction): void => {
    const fitting = bots.filter(BULK[action].applies);
    if (!needsConfirmation(fitting.length)) {
      void act(action, fitting);
      return;
    }
    setAsked({ action, bots: fitting });
    setAsking(true);
  };
  return (
    <div className={styles.bar} role="toolbar" aria-label="Selected bots">
      <strong>{bots.length} selected</strong>
      {ACTIONS.map((action) => {
        const Icon = ICONS[action];
        const count = bots.filter(BULK[action].applies).length;
        return (
          <Button
            key={action}
            icon={<Icon aria-hidden="true" />}
            busy={busy?.action === action}
            disabled={count === 0 || busy !== null}
            onClick={() => choose(action)}
          >
            {BULK[action].label}
            {count === bots.length ? null : ` ${count}`}
          </Button>
        );
      })}
      <span role="status" className={styles.status}>
        {busy === null ? outcome?.text : `${busy.done} of ${busy.of} …`}
      </span>
      <Button kind="quiet" icon={<X aria-hidden="true" />} onClick={onClear}>
        Clear
      </Button>
      {outcome === null || outcome.failed.length === 0 ? null : (
        <ul className={styles.failed} role="alert">
          {outcome.failed.map(({ bot, error }) => (
            <li key={bot.bot_id}>
              <strong>{bot.name}</strong>: {error.message} <code>{error.code}</code>
            </li>
          ))}
        </ul>
      )}
      {asked === null ? null : (
        <Confirm
          open={isAsking}
          title={`${BULK[asked.action].label} ${asked.bots.length} bots?`}
          label={`${BULK[asked.action].label} ${asked.bots.length} bots`}
          onConfirm={() => {
            setAsking(false);
            void act(asked.action, asked.bots);
          }}
          onCancel={() => setAsking(false)}
        >
          <p>{BULK[asked.action].description}</p>
        </Confirm>
      )}
    </div>
  );
}
