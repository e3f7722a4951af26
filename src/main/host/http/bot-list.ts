import type { Bot } from '../../../contract/bot.ts';

const COMMA = ','.charCodeAt(0);
const HEAD = Buffer.from('{"items":[');
const TAIL = Buffer.from(']}');

/** A record is never changed, and is the same object until something of its bot changes (bots/wire-records.ts). */
const known = new WeakMap<Bot, Buffer>();

function botBytes(bot: Bot): Buffer {
  const before = known.get(bot);
  if (before !== undefined) return before;
  const made = Buffer.from(JSON.stringify(bot));
  known.set(bot, made);
  return made;
}

/** The last answer: nothing has to be copied for one of the same records. */
let last: { readonly items: readonly Bot[]; readonly bytes: Buffer } = {
  items: [],
  bytes: Buffer.concat([HEAD, TAIL]),
};

/** The bots of a user, as the API answers them. */
export interface BotList {
  readonly items: readonly Bot[];
}

/**
 * A list of bots as JSON in UTF-8: unchanged records are copied, not serialised again. The buffer is shared and must
 * not be changed.
 */
export function botListBytes({ items }: BotList): Buffer {
  const same = items.length === last.items.length && items.every((bot, index) => bot === last.items[index]);
  if (!same) last = { items, bytes: joined(items) };
  return last.bytes;
}

function joined(items: readonly Bot[]): Buffer {
  const parts = items.map(botBytes);
  const commas = Math.max(0, parts.length - 1);
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + part.length, HEAD.length + commas + TAIL.length));
  let at = HEAD.copy(bytes);
  for (const [index, part] of parts.entries()) {
    if (index > 0) bytes[at++] = COMMA;
    bytes.set(part, at);
    at += part.length;
  }
  TAIL.copy(bytes, at);
  return bytes;
}
