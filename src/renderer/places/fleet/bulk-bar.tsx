import { Play, RotateCw, Square, X } from 'lucide-react';
import { useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import { eachOf } from '../../data/each-of.ts';
import { useHost } from '../../data/host.ts';
import { type HostError, toHostError } from '../../data/host-error.ts';
import { Button } from '../../parts/button.tsx';
import styles from './bulk-bar.module.css';
import { BULK, type BulkAction } from './fleet-rows.ts';

interface Outcome {
  readonly text: string;
  readonly failed: readonly { readonly name: string; readonly error: HostError }[];
}

const ICONS = { start: Play, stop: Square, restart: RotateCw } as const;
const CALLS = { start: 'bots.start', stop: 'bots.stop', restart: 'bots.restart' } as const;
/** The host works on four calls of a page at once; what else this page asks must not wait behind a thousand. */
const AT_ONCE = 3;
const ACTIONS: readonly BulkAction[] = ['start', 'stop', 'restart'];

/** What can be done with all bots that are chosen, and what came of it. */
export function BulkBar({ bots, onClear }: { readonly bots: readonly Bot[]; readonly onClear: () => void }) {
  const { socket } = useHost();
  const [busy, setBusy] = useState<{ readonly action: BulkAction; readonly done: number; readonly of: number } | null>(
    null,
  );
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const act = async (action: BulkAction): Promise<void> => {
    const fitting = bots.filter(BULK[action].fits);
    const failed: { name: string; error: HostError }[] = [];
    setOutcome(null);
    setBusy({ action, done: 0, of: fitting.length });
    await eachOf(fitting, AT_ONCE, async (bot) => {
      try {
        await socket.call(CALLS[action], { bot_id: bot.bot_id });
      } catch (thrown) {
        failed.push({ name: bot.name, error: toHostError(thrown) });
      }
      setBusy((before) => (before === null ? null : { ...before, done: before.done + 1 }));
    });
    setBusy(null);
    setOutcome({ text: `${BULK[action].done} ${fitting.length - failed.length} of ${fitting.length}`, failed });
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
            onClick={() => void act(action)}
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
          {outcome.failed.map(({ name, error }) => (
            <li key={name}>
              <strong>{name}</strong>: {error.message} <code>{error.code}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
