import { botAction } from '../bot-action.ts';

export const command = botAction(
  (host, bot_id) => host.call('bots.disarm', { bot_id }),
  'bot disarm',
  'Takes the live secrets of a bot away: it stops, and starts again only once a person has armed it.',
);
