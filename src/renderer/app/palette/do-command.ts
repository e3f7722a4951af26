import { choose } from '../../data/preferences.ts';
import type { HostSocket } from '../../data/socket.ts';
import { BOT_ACTIONS, type BotAction } from '../../data/start-stop-actions.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import type { Does } from './commands.ts';

/** The page's services for a command. */
export interface Hands {
  readonly socket: HostSocket;
  readonly go: (path: string) => void;
  readonly showShortcuts: () => void;
  readonly logOut: () => void;
}

const BACK: Partial<Readonly<Record<BotAction, BotAction>>> = { start: 'stop', stop: 'start' };

async function doToBot(socket: HostSocket, action: BotAction, botId: string, name: string): Promise<void> {
  try {
    await BOT_ACTIONS[action].ask(socket, botId);
    const back = BACK[action];
    toastDone(
      `${name} ${BOT_ACTIONS[action].done}`,
      back === undefined ? null : () => void doToBot(socket, back, botId, name),
    );
  } catch (thrown) {
    toastFailed(`${name} ${BOT_ACTIONS[action].failed}`, thrown);
  }
}

/** Carries out the chosen command. */
export function doCommand(does: Does, hands: Hands): void {
  switch (does.kind) {
    case 'go':
      hands.go(does.path);
      return;
    case 'bot':
      void doToBot(hands.socket, does.action, does.botId, does.name);
      return;
    case 'theme':
      choose({ theme: does.theme });
      return;
    case 'zone':
      choose({ zone: does.zone });
      return;
    case 'shortcuts':
      hands.showShortcuts();
      return;
    case 'log out':
      hands.logOut();
  }
}
