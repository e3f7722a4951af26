import type { BotHold } from '../../contract/bot.ts';
import type { Output } from '../../contract/operations.ts';
import type { HostSocket } from './socket.ts';

/** Action on a bot by one press: its words, and the call to the host. */
interface ActionRow {
  readonly label: string;
  /** Message for a bot, after its name, that the action succeeded. */
  readonly done: string;
  readonly failed: string;
  /** `hold`: what the page shows to hold the bot, which a start ends. */
  readonly ask: (
    socket: HostSocket,
    botId: string,
    hold?: BotHold | null,
  ) => Promise<Output<'bots.start'> | Output<'bots.run'>>;
}

/** All actions on a bot that take one press. */
export const BOT_ACTIONS = {
  start: {
    label: 'Start',
    done: 'started',
    failed: 'could not be started',
    ask: (socket, bot_id, hold = null) =>
      socket.call('bots.start', { bot_id, ...(hold === null ? {} : { release: hold.hold_id }) }),
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
