/** A whole HTTP response, of which the host uses this much. */
export interface HttpResponse {
  readonly status: number;
  readonly text: string;
  /** True if the server offers to keep the connection and has sent nothing behind the response. */
  readonly keep: boolean;
}

/** A response that is not HTTP/1, or goes beyond a limit. Its text completes "the server broke off: …". */
export class BadResponse extends Error {
  override readonly name = 'BadResponse';
}

/** A body is larger than the reader takes. */
export class BodyTooLarge extends BadResponse {
  constructor() {
    super('its answer is too large');
  }
}

/** Most bytes of a head, and of the trailers behind a body in chunks: as many as Node's own client takes. */
const HEAD_BYTES = 16 * 1024;
/** Most bytes of the line that begins a chunk: its length, and extensions, which the reader ignores. */
const CHUNK_LINE_BYTES = 1024;
/** Most interim responses (1xx) before the real one; a server that sends more never answers. */
const MOST_INTERIM = 16;
/** Most pieces of a response: one that comes byte by byte costs a thousand times its size. */
const MOST_PIECES = 100_000;
/** Pieces of a body below this size are copied: one byte of it would keep all that arrived with it in memory. */
const SMALL_BYTES = 4096;

const LF = 0x0a;
const CR = 0x0d;

/** What the reader waits for. `close`: a body that ends with the connection. */
type Part = 'head' | 'length' | 'close' | 'chunk line' | 'chunk' | 'chunk end' | 'trailers' | 'done';

/** Where a head ends in these bytes: the offset behind its empty line; -1 if it does not end here. */
function endOfHead(bytes: Buffer): number {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}

/** The headers of a head by their names in lower case. Values of the same name are joined with commas (RFC 9110, 5.3). */
function headersOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let last = '';
  for (const line of lines) {
    const folded = /^[ \t]/.test(line);
    const colon = folded ? 0 : line.indexOf(':');
    const name = folded ? last : line.slice(0, colon).trimEnd().toLowerCase();
    if (colon < 0 || name === '') throw new BadResponse('its answer has a header line without a name');
    const value = line.slice(folded ? 0 : colon + 1).trim();
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}${folded ? ' ' : ', '}${value}`);
    last = name;
  }
  return headers;
}

/** The number of bytes that Content-Length promises; a value that stands there twice counts once (RFC 9112, 6.3). */
function lengthOf(value: string): number {
  const [length = '', ...others] = [...new Set(value.split(',').map((one) => one.trim()))];
  if (!/^0*\d{1,15}$/.test(length) || others.length > 0) {
    throw new BadResponse('its answer has a Content-Length that is no number');
  }
  return Number(length);
}

/**
 * Reads one HTTP/1 response from the bytes of a connection, as they come. It takes what real servers send: lines that end
 * with LF alone, HTTP/1.0, folded headers, a body that ends with the connection. All bytes are hostile input: each part
 * has a limit, and a response that two readers could understand differently ends its connection.
 */
export class ResponseReader {
  readonly #maxBytes: number;
  #part: Part = 'head';
  /** Bytes of an unfinished head, chunk line or trailer. */
  #rest: Buffer | null = null;
  #status = 0;
  #keep = false;
  /** Bytes that are missing of the body, or of its chunk. */
  #missing = 0;
  #body: Buffer[] = [];
  #bodyBytes = 0;
  #trailerBytes = 0;
  #interim = 0;
  #pieces = 0;
  /** All bytes, of which extensions of chunks may be the most. */
  #allBytes = 0;

  /** `maxBytes`: the largest body that is taken. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** True once the head of the real response has been read. */
  get began(): boolean {
    return this.#part !== 'head';
  }

  /** Takes the next bytes. Returns the response once it is whole. Throws BadResponse. */
  take(chunk: Buffer): HttpResponse | null {
    this.#pieces += 1;
    this.#allBytes += chunk.length;
    if (this.#allBytes > 2 * (this.#maxBytes + HEAD_BYTES)) throw new BodyTooLarge();
    let left: Buffer = chunk;
    while (left.length > 0 && this.#part !== 'done') left = this.#step(left);
    if (this.#part !== 'done') return null;
    return { status: this.#status, text: this.#text(), keep: this.#keep && left.length === 0 };
  }

  /** The response where the end of the connection is its end, or null. */
  end(): HttpResponse | null {
    return this.#part === 'close' ? this.soFar() : null;
  }

  /** What has been read of a response that ends too early. */
  soFar(): HttpResponse {
    return { status: this.#status, text: this.#text(), keep: false };
  }

  #text(): string {
    const [only] = this.#body;
    if (only === undefined) return '';
    return this.#body.length === 1 ? only.toString('utf8') : Buffer.concat(this.#body).toString('utf8');
  }

  /** Reads the part that is expected, and returns the bytes behind it. */
  #step(bytes: Buffer): Buffer {
    if (this.#pieces > MOST_PIECES) throw new BadResponse('its answer comes in too many small pieces');
    switch (this.#part) {
      case 'head':
        return this.#readHead(bytes);
      case 'length':
        return this.#readBody(bytes, 'done');
      case 'chunk':
        return this.#readBody(bytes, 'chunk end');
      case 'close':
        this.#keepBody(bytes);
        return bytes.subarray(bytes.length);
      default:
        return this.#readLine(bytes);
    }
  }

  #readHead(bytes: Buffer): Buffer {
    let known = this.#rest === null ? bytes : Buffer.concat([this.#rest, bytes]);
    // Some servers end the response before with one line too many.
    while (known[0] === CR || known[0] === LF) known = known.subarray(1);
    const end = endOfHead(known);
    if (end > HEAD_BYTES || (end < 0 && known.length > HEAD_BYTES)) {
      throw new BadResponse(`the head of its answer is larger than ${HEAD_BYTES} bytes`);
    }
    if (end < 0) {
      if (known.length >= 5 && known.toString('latin1', 0, 5) !== 'HTTP/')
        throw new BadResponse('its answer is not HTTP');
      this.#rest = known;
      return bytes.subarray(bytes.length);
    }
    this.#rest = null;
    this.#begin(known.toString('latin1', 0, end));
    return known.subarray(end);
  }

  /** Decides by the head how the body ends (RFC 9112, 6.3). */
  #begin(head: string): void {
    const [first = '', ...lines] = head.trimEnd().split(/\r?\n/);
    const [, minor, code] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(first) ?? [];
    if (code === undefined) throw new BadResponse('its answer is not HTTP/1');
    const headers = headersOf(lines);
    this.#status = Number(code);
    if (this.#status === 101) throw new BadResponse('it wants another protocol');
    if (this.#status < 200) {
      this.#interim += 1;
      if (this.#interim > MOST_INTERIM) throw new BadResponse('it sends interim answers without end');
      return;
    }
    const length = headers.get('content-length');
    const codings = headers.get('transfer-encoding');
    const options = (headers.get('connection') ?? '').toLowerCase().split(/[\s,]+/);
    // A server that sends both lengths, or chunks by HTTP/1.0, may mean another end than is read here.
    const sure = codings === undefined || (length === undefined && minor === '1');
    this.#keep = sure && options.includes('keep-alive') && !options.includes('close');
    if (this.#status === 204 || this.#status === 304) this.#part = 'done';
    else if (codings !== undefined) this.#part = /(^|[\s,])chunked$/i.test(codings) ? 'chunk line' : 'close';
    else if (length === undefined) this.#part = 'close';
    else {
      this.#missing = lengthOf(length);
      if (this.#missing > this.#maxBytes) throw new BodyTooLarge();
      this.#part = this.#missing === 0 ? 'done' : 'length';
    }
  }

  #readBody(bytes: Buffer, next: Part): Buffer {
    const taken = Math.min(bytes.length, this.#missing);
    this.#keepBody(bytes.subarray(0, taken));
    this.#missing -= taken;
    if (this.#missing === 0) this.#part = next;
    return bytes.subarray(taken);
  }

  #keepBody(bytes: Buffer): void {
    this.#bodyBytes += bytes.length;
    if (this.#bodyBytes > this.#maxBytes) throw new BodyTooLarge();
    this.#body.push(this.#part === 'length' || bytes.length >= SMALL_BYTES ? bytes : Buffer.from(bytes));
  }

  #readLine(bytes: Buffer): Buffer {
    const known = this.#rest === null ? bytes : Buffer.concat([this.#rest, bytes]);
    const end = known.indexOf(LF);
    if (Math.max(end, end < 0 ? known.length : 0) > CHUNK_LINE_BYTES) {
      throw new BadResponse(`a line between the chunks of its answer is longer than ${CHUNK_LINE_BYTES} bytes`);
    }
    if (end < 0) {
      this.#rest = known;
      return bytes.subarray(bytes.length);
    }
    this.#rest = null;
    this.#takeLine(known.toString('latin1', 0, end).replace(/\r$/, ''));
    return known.subarray(end + 1);
  }

  #takeLine(line: string): void {
    if (this.#part === 'chunk line') {
      const [, digits] = /^(0*[0-9a-f]{1,12})[ \t]*(?:;|$)/i.exec(line) ?? [];
      if (digits === undefined) throw new BadResponse('a chunk of its answer begins without its length');
      this.#pieces += 1;
      this.#missing = Number.parseInt(digits, 16);
      this.#part = this.#missing === 0 ? 'trailers' : 'chunk';
    } else if (this.#part === 'chunk end') {
      if (line !== '') throw new BadResponse('a chunk of its answer is longer than it said');
      this.#part = 'chunk line';
    } else {
      this.#trailerBytes += line.length + 1;
      if (this.#trailerBytes > HEAD_BYTES) throw new BadResponse('its answer has too many trailers');
      if (line === '') this.#part = 'done';
    }
  }
}
