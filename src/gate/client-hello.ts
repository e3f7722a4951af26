/**
 * What the first bytes of a connection say about TLS. `more`: they do not suffice yet. `none`: it is no TLS. `broken`: it begins
 * like TLS and is no sound ClientHello. Else the name for which it asks, null where it asks for none.
 */
export type Hello =
  | { readonly is: 'more' | 'none' | 'broken' }
  | { readonly is: 'hello'; readonly name: string | null };

/** A ClientHello with large key shares takes a few kilobytes. */
const MOST_BYTES = 16 * 1024;
const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;

/** Reads numbers and runs of bytes; null where there are none. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  number(size: number): number | null {
    if (this.left < size) return null;
    const value = this.#bytes.readUIntBE(this.#at, size);
    this.#at += size;
    return value;
  }

  take(size: number | null): Buffer | null {
    if (size === null || this.left < size) return null;
    const part = this.#bytes.subarray(this.#at, this.#at + size);
    this.#at += size;
    return part;
  }

  /** A run of bytes behind its length, which takes `size` bytes. */
  run(size: number): Buffer | null {
    return this.take(this.number(size));
  }
}

/** The names of a server_name extension; null for one that holds anything else than exactly one host name. */
function nameOf(extension: Buffer): string | null {
  const outer = new Reader(extension);
  const list = outer.run(2);
  if (list === null || outer.left > 0) return null;
  const reader = new Reader(list);
  const isHost = reader.number(1) === HOST_NAME;
  const name = reader.run(2);
  return isHost && name !== null && reader.left === 0 ? name.toString('latin1') : null;
}

function readBody(body: Buffer): Hello {
  const reader = new Reader(body);
  const head = reader.take(34);
  const session = reader.run(1);
  const suites = reader.run(2);
  const compression = reader.run(1);
  if (head === null || session === null || suites === null || compression === null) return { is: 'broken' };
  if (reader.left === 0) return { is: 'hello', name: null };
  const extensions = reader.run(2);
  if (extensions === null || reader.left > 0) return { is: 'broken' };
  const list = new Reader(extensions);
  let name: string | null = null;
  while (list.left > 0) {
    const type = list.number(2);
    const data = list.run(2);
    if (type === null || data === null) return { is: 'broken' };
    if (type !== SERVER_NAME) continue;
    const found = nameOf(data);
    // Two names, or an odd one: servers differ in which they take.
    if (found === null || name !== null) return { is: 'broken' };
    name = found;
  }
  return { is: 'hello', name };
}

/** Reads a ClientHello, in one TLS record or in many. */
export function readClientHello(bytes: Buffer): Hello {
  if (bytes.length === 0) return { is: 'more' };
  if (bytes[0] !== HANDSHAKE) return { is: 'none' };
  const unfinished: Hello = bytes.length > MOST_BYTES ? { is: 'broken' } : { is: 'more' };
  const parts: Buffer[] = [];
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== HANDSHAKE || (at + 1 < bytes.length && bytes[at + 1] !== 3)) return { is: 'broken' };
    if (bytes.length < at + 5) return unfinished;
    const size = bytes.readUInt16BE(at + 3);
    if (size === 0 || size > 16_384 + 256) return { is: 'broken' };
    const part = bytes.subarray(at + 5, at + 5 + size);
    parts.push(part);
    length += part.length;
    at += 5 + size;
    if (length < 4) {
      if (part.length < size) return unfinished;
      continue;
    }
    const joined = Buffer.concat(parts, length);
    if (joined[0] !== CLIENT_HELLO) return { is: 'broken' };
    const needed = 4 + joined.readUIntBE(1, 3);
    if (needed > MOST_BYTES) return { is: 'broken' };
    if (length >= needed) return length === needed ? readBody(joined.subarray(4)) : { is: 'broken' };
    if (part.length < size) return unfinished;
  }
  return unfinished;
}
