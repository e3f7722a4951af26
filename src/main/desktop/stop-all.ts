import { type BrowserWindow, dialog } from 'electron';
import { errorText } from '../../node/system-error.ts';
import { ask } from './ask.ts';
import { isActive, type KnownBot } from './bot-watch.ts';
import { callHost, type HostAddress } from './host-client.ts';

/** Stops every bot that runs, after a question; says which could not be stopped. */
export async function stopAll(
  host: HostAddress | null,
  bots: readonly KnownBot[],
  window: BrowserWindow | null,
): Promise<void> {
  const active = bots.filter(({ status }) => isActive(status));
  if (host === null || active.length === 0) return;
  const answer = await ask(window, {
    type: 'warning',
    message: `Stop ${active.length === 1 ? 'the one bot that runs' : `all ${active.length} bots that run`}?`,
    detail: 'Each stays stopped until it is started again. Scheduled bots that are not running stay scheduled.',
    buttons: ['Stop all', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
  });
  if (answer !== 0) return;
  const results = await Promise.allSettled(active.map(({ bot_id }) => callHost(host, 'bots.stop', { bot_id })));
  const wrong = results.filter((one) => one.status === 'rejected');
  if (wrong.length === 0) return;
  const first = errorText(wrong[0]?.reason);
  dialog.showErrorBox(
    'Not all bots were stopped',
    `${wrong.length} of ${active.length} bots could not be stopped: ${first}`,
  );
}
