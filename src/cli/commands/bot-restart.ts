import { botAction } from '../bot-action.ts';

export const command = botAction(
  (host, bot_id) => host.call('bots.restart', { bot_id }),
  'bot restart',
  'Stops a running bot and starts it again.',
);
