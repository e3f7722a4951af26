import { formatSse } from '../../../shared/sse.ts';

interface Texts {
  readonly json: string;
  bytes: Buffer | null;
  sse: { readonly id: string; readonly bytes: Buffer } | null;
}

/** Sent events never change, and many readers get the same ones: each is serialised once. */
const known = new WeakMap<object, Texts>();

function textsOf(event: unknown): Texts {
  const found = typeof event === 'object' && event !== null ? known.get(event) : undefined;
  if (found !== undefined) return found;
  const made: Texts = { json: JSON.stringify(event) ?? 'null', bytes: null, sse: null };
  if (typeof event === 'object' && event !== null) known.set(event, made);
  return made;
}

/** An event as JSON in UTF-8: a text would be encoded again for each reader, which costs more than to send it. */
export function eventJson(event: unknown): Buffer {
  const texts = textsOf(event);
  texts.bytes ??= Buffer.from(texts.json);
  return texts.bytes;
}

/** An event as the bytes of a server-sent event with this id. */
export function eventSse(id: string, event: unknown): Buffer {
  const texts = textsOf(event);
  if (texts.sse?.id !== id) texts.sse = { id, bytes: Buffer.from(formatSse({ id, data: texts.json })) };
  return texts.sse.bytes;
}
