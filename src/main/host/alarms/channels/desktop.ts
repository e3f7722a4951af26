import { bodyText } from '../message.ts';
import { withinTime } from '../request.ts';
import { cut } from '../words.ts';
import type { SendMessage } from './channel.ts';

/** What a notification of any system shows. */
const BODY_CHARS = 1000;
const TITLE_CHARS = 200;

/** Has the desktop app show a notification on its machine. */
export const desktop: SendMessage = async (_settings, message, { ended, showOnDesktop }) => {
  const bots = new Set(message.items.map(({ bot_id }) => bot_id));
  const [bot_id = null] = bots.size === 1 ? bots : [];
  const { id, severity, title } = message;
  const notice = { id, severity, title: cut(title, TITLE_CHARS), text: bodyText(message, BODY_CHARS), bot_id };
  await showOnDesktop(notice, withinTime(ended));
};
