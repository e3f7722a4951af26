import { formatSse } from '../../../shared/sse.ts';

/** Bytes that hold for readers with the same key, which most readers of an event share. */
interface Made {
  readonly key: string;
  readonly bytes: Buffer;
}

interface Texts {
  readonly json: string;
  message: Made | null;
  sse: Made | null;
}

/** Sent events never change, and many readers get the same ones: each is serialised once. */
const known = new WeakMap<object, Texts>();

function textsOf(event: unknown): Texts {
  const found = typeof event === 'object' && event !== null ? known.get(event) : undefined;
  if (found !== undefined) return found;
  const made: Texts = { json: JSON.stringify(event) ?? 'null', message: null, sse: null };
  if (typeof event === 'object' && event !== null) known.set(event, made);
  return made;
}

/**
 * An event as a message of a WebSocket for the stream with this id, and the cursor behind it, in UTF-8: a text would be
 * encoded again for each reader, which costs more than to send it.
 */
export function eventMessage(id: number, event: unknown, cursor: string): Buffer {
  const texts = textsOf(event);
  const key = `${id} ${cursor}`;
  if (texts.message?.key !== key) {
    const text = `{"id":${id},"event":${texts.json},"cursor":${JSON.stringify(cursor)}}`;
    texts.message = { key, bytes: Buffer.from(text) };
  }
  return texts.message.bytes;
}

/** An event as the bytes of a server-sent event with this id. */
export function eventSse(id: string, event: unknown): Buffer {
  const texts = textsOf(event);
  if (texts.sse?.key !== id) texts.sse = { key: id, bytes: Buffer.from(formatSse({ id, data: texts.json })) };
  return texts.sse.bytes;
}
