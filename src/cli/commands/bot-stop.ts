import { botAction } from '../bot-action.ts';

export const command = botAction(
  'bots.stop',
  'bot stop',
  'Disables a bot: it stops and stays stopped, also across host starts.',
);
