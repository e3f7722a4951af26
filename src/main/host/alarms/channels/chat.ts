import { isJsonObject } from '../../../../shared/json.ts';
import { type Message, plainText } from '../message.ts';
import { send } from '../request.ts';
import { Unreachable } from '../send-errors.ts';
import { checkAnswer, JSON_HEADERS, type SendMessage } from './channel.ts';

const TELEGRAM_CHARS = 4096;
const DISCORD_CHARS = 2000;
const SLACK_CHARS = 3000;
/** Discord: no preview of links. */
const SUPPRESS_EMBEDS = 4;

const SIGNS = { info: 'ℹ️', warning: '⚠️', critical: '🔴' } as const;
const signed = (message: Message, max: number): string => `${SIGNS[message.severity]} ${plainText(message, max - 4)}`;

/** Seconds that Telegram asks to wait, which it says in the body, in ms. */
function telegramWait(body: string): number {
  try {
    const answer: unknown = JSON.parse(body);
    const told = isJsonObject(answer) && isJsonObject(answer.parameters) ? answer.parameters.retry_after : undefined;
    return typeof told === 'number' && told > 0 ? Math.min(told, 86_400) * 1000 : 0;
  } catch {
    // A proxy before Telegram answers with a page.
    return 0;
  }
}

/** Sends by the Bot API, as plain text. */
export const telegram: SendMessage = async ({ token = '', chat_id, server = '' }, message, context) => {
  const base = server === '' ? 'https://api.telegram.org' : server.replace(/\/+$/, '');
  const body = JSON.stringify({
    chat_id,
    text: signed(message, TELEGRAM_CHARS),
    link_preview_options: { is_disabled: true },
  });
  const answer = await send({ url: `${base}/bot${token}/sendMessage`, headers: JSON_HEADERS, body }, context);
  if (answer.status === 429) {
    throw new Unreachable('Telegram asks to wait', Math.max(answer.retryAfterMs, telegramWait(answer.body)));
  }
  // It answers 404 to a token that it does not know, and 403 once the person has blocked the bot.
  checkAnswer(answer, 'Telegram', [403, 404]);
};

/** Text in which Discord finds no markup; a mention is switched off by allowed_mentions. */
const withoutMarkdown = (text: string): string => text.replaceAll(/[\\*_~`|>#[\]()<-]/g, '\\$&');

export const discord: SendMessage = async ({ url = '' }, message, context) => {
  // A character may take two once it is escaped.
  let content = withoutMarkdown(signed(message, DISCORD_CHARS));
  if (content.length > DISCORD_CHARS)
    content = withoutMarkdown(signed(message, DISCORD_CHARS / 2)).slice(0, DISCORD_CHARS);
  const body = JSON.stringify({ content, allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS });
  checkAnswer(await send({ url, headers: JSON_HEADERS, body }, context), 'Discord', [403, 404]);
};

/** Text in which Slack finds no link, mention or channel. */
const withoutControl = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const slack: SendMessage = async ({ url = '' }, message, context) => {
  const text = signed(message, SLACK_CHARS);
  const body = JSON.stringify({
    text: withoutControl(message.title),
    blocks: [{ type: 'section', text: { type: 'plain_text', text, emoji: false } }],
  });
  checkAnswer(await send({ url, headers: JSON_HEADERS, body }, context), 'Slack', [403, 404, 410]);
};
