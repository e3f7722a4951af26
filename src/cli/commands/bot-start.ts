import { botAction } from '../bot-action.ts';

export const command = botAction(
  'bots.start',
  'bot start',
  'Enables a bot: a realtime bot starts, a scheduled bot runs at its times.',
);
