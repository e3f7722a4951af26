import { botAction } from '../bot-action.ts';

export const command = botAction(
  (host, bot_id) => host.call('bots.stop', { bot_id }),
  'bot stop',
  'Disables a bot: it stops and stays stopped, also across host starts.',
);
