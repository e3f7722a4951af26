import { botAction } from '../bot-action.ts';

export const command = botAction('bots.restart', 'bot restart', 'Stops a running bot and starts it again.');
