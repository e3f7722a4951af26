import type { Output } from '../../contract/operations.ts';
import type { HostSocket } from './socket.ts';

/** What one press does to a bot: its words, and the call to the host. */
interface ActionRow {
  readonly label: string;
  /** Says of a bot that it was done. */
  readonly done: string;
  readonly failed: string;
  readonly ask: (socket: HostSocket, botId: string) => Promise<Output<'bots.start'> | Output<'bots.run'>>;
}

/** Everything that one press does to a bot. */
export const BOT_ACTIONS = {
  start: {
    label: 'Start',
    done: 'started',
    failed: 'could not be started',
    ask: (socket, bot_id) => socket.call('bots.start', { bot_id }),
  },
  stop: {
    label: 'Stop',
    done: 'stopped',
    failed: 'could not be stopped',
    ask: (socket, bot_id) => socket.call('bots.stop', { bot_id }),
  },
  restart: {
    label: 'Restart',
    done: 'is restarting',
    failed: 'could not be restarted',
    ask: (socket, bot_id) => socket.call('bots.restart', { bot_id }),
  },
  run: {
    label: 'Run now',
    done: 'runs now',
    failed: 'could not be run',
    ask: (socket, bot_id) => socket.call('bots.run', { bot_id }),
  },
} as const satisfies Readonly<Record<string, ActionRow>>;

export type BotAction = keyof typeof BOT_ACTIONS;
