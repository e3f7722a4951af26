import { createHmac } from 'node:crypto';
import { send } from '../request.ts';
import { checkAnswer, JSON_HEADERS, type SendMessage } from './channel.ts';

/** Signature of a body: HMAC-SHA-256 of `<timestamp>.<id>.<body>`; the timestamp is in seconds since the epoch. */
export function signatureOf(secret: string, timestamp: string, id: string, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${id}.${body}`).digest('hex')}`;
}

/** Posts the message as JSON, signed. */
export const webhook: SendMessage = async ({ url = '', secret = '' }, message, context) => {
  const body = JSON.stringify(message);
  const timestamp = String(Math.floor(context.now() / 1000));
  const headers = {
    ...JSON_HEADERS,
    'x-platform-id': message.id,
    'x-platform-timestamp': timestamp,
    'x-platform-signature': signatureOf(secret, timestamp, message.id, body),
  };
  checkAnswer(await send({ url, headers, body }, context), 'The webhook');
};
