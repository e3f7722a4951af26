import { bodyText } from '../message.ts';
import { send } from '../request.ts';
import { Revoked } from '../send-errors.ts';
import { cut } from '../words.ts';
import { checkAnswer, JSON_HEADERS, type SendMessage } from './channel.ts';

/** ntfy takes 4,096 bytes; a character is four at most. */
const NTFY_CHARS = 1000;
const PUSHOVER_CHARS = 1024;
const TITLE_CHARS = 200;

const NTFY_PRIORITY = { info: 3, warning: 4, critical: 5 } as const;
const PUSHOVER_PRIORITY = { info: -1, warning: 0, critical: 1 } as const;

/** Publishes as JSON, so that no header has to hold text. */
export const ntfy: SendMessage = async ({ topic, server = '', token = '' }, message, context) => {
  const body = JSON.stringify({
    topic,
    title: cut(message.title, TITLE_CHARS),
    message: bodyText(message, NTFY_CHARS),
    priority: NTFY_PRIORITY[message.severity],
  });
  const url = server === '' ? 'https://ntfy.sh' : server;
  const headers = { ...JSON_HEADERS, ...(token === '' ? {} : { authorization: `Bearer ${token}` }) };
  checkAnswer(await send({ url, headers, body }, context), 'ntfy', [403]);
};

export const pushover: SendMessage = async ({ token = '', user = '', server = '' }, message, context) => {
  const base = server === '' ? 'https://api.pushover.net' : server.replace(/\/+$/, '');
  const body = JSON.stringify({
    token,
    user,
    title: cut(message.title, TITLE_CHARS),
    message: bodyText(message, PUSHOVER_CHARS),
    priority: PUSHOVER_PRIORITY[message.severity],
    timestamp: Math.floor(Date.parse(message.at) / 1000),
  });
  const answer = await send({ url: `${base}/1/messages.json`, headers: JSON_HEADERS, body }, context);
  // It answers 400 to a token or user that it does not know, and names which.
  if (answer.status === 400 && /"(?:token|user)":\s*"invalid"/.test(answer.body))
    throw new Revoked('Pushover does not know the token or the user key');
  checkAnswer(answer, 'Pushover');
};
