import { type BrowserWindow, dialog } from 'electron';
import { errorText } from '../../node/system-error.ts';
import { ask } from './ask.ts';
import { isActive, type KnownBot } from './bot-watch.ts';
import { callHost, type HostAddress } from './host-client.ts';

/** Stops all bots as a panic does, after a question; says which could not be stopped. */
export async function stopAll(
  host: HostAddress | null,
  bots: readonly KnownBot[],
  window: BrowserWindow | null,
): Promise<void> {
  const active = bots.filter(({ status }) => isActive(status));
  if (host === null || bots.length === 0) return;
  const answer = await ask(window, {
    type: 'warning',
    message: `Stop all bots now? ${active.length} ${active.length === 1 ? 'runs' : 'run'}.`,
    detail:
      'All bots of this host end, and each stays stopped until a person starts it again; no schedule starts one. Positions stay open.',
    buttons: ['Stop all', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
  });
  if (answer !== 0) return;
  try {
    const { items } = await callHost(host, 'bots.panic', {});
    const wrong = items.filter(({ stopped }) => !stopped);
    if (wrong.length === 0) return;
    const words = wrong.map(({ name, problem }) => `${name}: ${problem}`).join('\n');
    dialog.showErrorBox('Not all bots were stopped', words);
  } catch (error) {
    dialog.showErrorBox('No bot was stopped', errorText(error));
  }
}
