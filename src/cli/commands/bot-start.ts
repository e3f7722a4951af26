import { botAction } from '../bot-action.ts';

export const command = botAction(
  (host, bot_id) => host.call('bots.start', { bot_id }),
  'bot start',
  'Enables a bot: a realtime bot starts, a scheduled bot runs at its times.',
);
