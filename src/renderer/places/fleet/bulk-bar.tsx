import { Play, RotateCw, Square, X } from 'lucide-react';
import { useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import styles from './bulk-bar.module.css';
import { BULK, type BulkAction, needsYes } from './fleet-rows.ts';
import type { Bulk } from './use-bulk.ts';

const ICONS = { start: Play, stop: Square, restart: RotateCw } as const;
const ACTIONS: readonly BulkAction[] = ['start', 'stop', 'restart'];

interface BarProps {
  readonly bots: readonly Bot[];
  readonly bulk: Bulk;
  readonly onClear: () => void;
}

/** What can be done with all bots that are chosen, and what came of it. */
export function BulkBar({ bots, bulk: { busy, outcome, act }, onClear }: BarProps) {
  const [asked, setAsked] = useState<{ readonly action: BulkAction; readonly bots: readonly Bot[] } | null>(null);
  const [isAsking, setAsking] = useState(false);
  const choose = (action: BulkAction): void => {
    const fitting = bots.filter(BULK[action].fits);
    if (!needsYes(fitting.length)) {
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
        const count = bots.filter(BULK[action].fits).length;
        return (
          <Button
            key={action}
            icon={<Icon aria-hidden="true" />}
            busy={busy?.action === action}
            disabled={count === 0 || busy !== null}
            onClick={() => choose(action)}
          >
            {BULK[action].word}
            {count === bots.length ? null : ` ${count}`}
          </Button>
        );
      })}
      <span role="status" className={styles.said}>
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
          title={`${BULK[asked.action].word} ${asked.bots.length} bots?`}
          word={`${BULK[asked.action].word} ${asked.bots.length} bots`}
          onYes={() => {
            setAsking(false);
            void act(asked.action, asked.bots);
          }}
          onNo={() => setAsking(false)}
        >
          <p>{BULK[asked.action].means}</p>
        </Confirm>
      )}
    </div>
  );
}
