import { useEffect, useRef, useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import { useHost } from '../../data/connection-and-user.ts';
import { eachOf } from '../../data/each-of.ts';
import { type HostError, toHostError } from '../../data/host-error.ts';
import { BOT_ACTIONS } from '../../data/start-stop-actions.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { BULK, type BulkAction, undoOf } from './bulk-actions.ts';

export interface Outcome {
  readonly text: string;
  readonly failed: readonly { readonly bot: Bot; readonly error: HostError }[];
}

/** An action on many bots, and its outcome. */
export interface Bulk {
  readonly busy: { readonly action: BulkAction; readonly done: number; readonly of: number } | null;
  readonly outcome: Outcome | null;
  readonly act: (action: BulkAction, bots: readonly Bot[]) => Promise<void>;
  readonly clear: () => void;
}

const countOf = (count: number): string => `${count} bot${count === 1 ? '' : 's'}`;
/** The host works on four calls of a page at once; what else this page asks must not wait behind a thousand. */
const AT_ONCE = 3;

/** Runs an action on many bots. The outcome stays even when they have left the list, or the user the page. */
export function useBulk(): Bulk {
  const { socket } = useHost();
  const [busy, setBusy] = useState<Bulk['busy']>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  const run = async (action: BulkAction, bots: readonly Bot[], isUndo: boolean): Promise<void> => {
    const failed: { bot: Bot; error: HostError }[] = [];
    setOutcome(null);
    setBusy({ action, done: 0, of: bots.length });
    await eachOf(bots, AT_ONCE, async (bot) => {
      try {
        await BOT_ACTIONS[action].ask(socket, bot.bot_id);
      } catch (thrown) {
        failed.push({ bot, error: toHostError(thrown) });
      }
      setBusy((before) => (before === null ? null : { ...before, done: before.done + 1 }));
    });
    setBusy(null);
    const text = `${BULK[action].done} ${bots.length - failed.length} of ${bots.length}`;
    setOutcome({ text, failed });
    const wrong = new Set(failed.map(({ bot }) => bot));
    const back = undoOf(
      action,
      bots.filter((bot) => !wrong.has(bot)),
    );
    const [first] = failed;
    if (first !== undefined && !isThere.current) toastFailed(`${text}; ${first.bot.name}`, first.error);
    if (isUndo && first === undefined) toastDone(`${BULK[action].done} again`);
    else if (!isUndo && back !== null && back.bots.length > 0) {
      toastDone(`${BULK[action].done} ${countOf(back.bots.length)}`, () => void run(back.action, back.bots, true));
    } else if (first === undefined && !isThere.current) toastDone(text);
  };
  const act = (action: BulkAction, bots: readonly Bot[]): Promise<void> => run(action, bots, false);
  return { busy, outcome, act, clear: () => setOutcome(null) };
}
