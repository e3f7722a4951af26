import { type Destination, isCalled, readAuthority } from './destination.ts';

/** A request head that the gate has understood completely. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  /** In lower case, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Bytes of the head with the empty line at its end. */
  readonly length: number;
  readonly body: { readonly is: 'none' } | { readonly is: 'chunked' } | { readonly is: 'bytes'; readonly left: number };
  readonly isUpgrade: boolean;
}

/** `null`: more bytes are needed. A text: why nothing of it may pass. */
export type HeadReading = RequestHead | null | string;

/** Heads are shorter; a program that sends one byte by byte must not take the gate from all others. */
export const MOST_HEAD_BYTES = 16 * 1024;
const LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;
/** Longer than any method that a server knows. */
const MOST_METHOD = 64;
const FIRST = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\x21-\x7e]{1,16384}) HTTP\/1\.[01]$/;

/**
 * What the first bytes of a connection without TLS are. `http`: a request of HTTP/1, by whatever method, or what a lenient
 * server reads as one behind empty lines. `more`: they do not suffice yet. Server and method are not known here, so a
 * protocol that begins with a word and a blank counts as HTTP.
 */
export function sniffHttp(bytes: Buffer): 'http' | 'other' | 'more' {
  const text = bytes.toString('latin1', 0, MOST_METHOD + 1);
  if (/^[\r\n]/.test(text)) return 'http';
  const [all = '', blanks = '', word = ''] = /^([ \t\v\f]*)([!#$%&'*+.^_`|~0-9A-Za-z-]*)/.exec(text) ?? [];
  if (all === text) return text.length > MOST_METHOD ? 'http' : 'more';
  // Some servers take blanks before the method, too.
  if (blanks !== '') return word !== '' ? 'http' : 'other';
  return word !== '' && /[ \t\v\f]/.test(text.charAt(all.length)) ? 'http' : 'other';
}

function bodyOf(headers: RequestHead['headers']): RequestHead['body'] | string {
  const lengths = headers.filter(([name]) => name === 'content-length').map(([, value]) => value);
  const codings = headers.filter(([name]) => name === 'transfer-encoding').map(([, value]) => value);
  if (lengths.length + codings.length > 1) return 'a request tells the length of its body more than once';
  const [coding] = codings;
  if (coding !== undefined)
    return coding.toLowerCase() === 'chunked' ? { is: 'chunked' } : 'an unknown transfer coding';
  const [length] = lengths;
  if (length === undefined) return { is: 'none' };
  return /^\d{1,15}$/.test(length) ? { is: 'bytes', left: Number(length) } : 'an odd length of a body';
}

/**
 * Reads the head of an HTTP/1 request, strictly: what two servers could read differently (a line end without CR, a folded
 * line, a second length) is refused.
 */
export function readHead(bytes: Buffer): HeadReading {
  if (bytes[0] === 13 || bytes[0] === 10) return 'an empty line before a request';
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return bytes.length > MOST_HEAD_BYTES ? 'a request head that does not end' : null;
  if (end > MOST_HEAD_BYTES) return 'a request head that is too long';
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const start = FIRST.exec(first);
  if (start === null) return 'a first line that is no HTTP request';
  const headers: [string, string][] = [];
  for (const line of lines) {
    const found = LINE.exec(line);
    if (found === null) return 'a header line that is not sound';
    headers.push([(found[1] ?? '').toLowerCase(), found[2] ?? '']);
  }
  const body = bodyOf(headers);
  if (typeof body === 'string') return body;
  const isUpgrade = headers.some(([name]) => name === 'upgrade');
  return { method: start[1] ?? '', target: start[2] ?? '', headers, length: end + 4, body, isUpgrade };
}

/** Why a request within a connection for `to` may not pass; null where it may. */
export function headFault({ method, target, headers }: RequestHead, to: Destination): string | null {
  const hosts = headers.filter(([name]) => name === 'host').map(([, value]) => value);
  const [host] = hosts;
  if (method === 'CONNECT') return 'it asks for a connection within a connection';
  if (hosts.length !== 1 || host === undefined) return `it names ${hosts.length} hosts in place of one`;
  const isSame = (named: Destination | null): boolean =>
    named !== null && isCalled(to, named.host) && named.port === to.port;
  if (!isSame(readAuthority(host, to.port))) return `it asks for ${JSON.stringify(host.slice(0, 100))}`;
  if (target.startsWith('/') || target === '*') return null;
  const absolute = /^http:\/\/([^/?#]+)(?:[/?#]|$)/i.exec(target);
  if (absolute?.[1] !== undefined && isSame(readAuthority(absolute[1], to.port))) return null;
  return `it asks for ${JSON.stringify(target.slice(0, 100))}`;
}

type State =
  | { readonly at: 'head' | 'chunk' | 'trailer' | 'upgrade' | 'raw' }
  | { readonly at: 'bytes'; left: number; readonly next: 'head' | 'chunk' };

const NOTHING = Buffer.alloc(0);
const MOST_LINE_BYTES = 16 * 1024;

/**
 * Follows the requests of one connection, so that none of them names another host. What it returns may be sent; a text says
 * why the connection ends.
 */
export class RequestStream {
  readonly #to: Destination;
  #state: State = { at: 'head' };
  #held: Buffer = NOTHING;
  #isFirst = true;

  constructor(to: Destination) {
    this.#to = to;
  }

  /** True while bytes of the program wait for the server to agree to another protocol. */
  get waitsForAnswer(): boolean {
    return this.#state.at === 'upgrade';
  }

  /** The server has agreed to another protocol, or has not. Push no bytes to go on. */
  answered(isSwitched: boolean): void {
    if (this.waitsForAnswer) this.#state = { at: isSwitched ? 'raw' : 'head' };
  }

  /** Takes bytes of the program; those that it holds back pass with later ones. */
  push(bytes: Buffer): Buffer | string {
    let rest = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = NOTHING;
    const passed: Buffer[] = [];
    while (rest.length > 0) {
      const taken = this.#take(rest);
      if (typeof taken === 'string') return taken;
      if (taken === 0) {
        this.#held = rest;
        break;
      }
      passed.push(rest.subarray(0, taken));
      rest = rest.subarray(taken);
    }
    return passed.length === 1 ? (passed[0] ?? NOTHING) : Buffer.concat(passed);
  }

  /** How many of the bytes may pass now; 0 where more must come first. */
  #take(rest: Buffer): number | string {
    const state = this.#state;
    switch (state.at) {
      case 'raw':
        return rest.length;
      case 'upgrade':
        return rest.length > MOST_HEAD_BYTES ? 'it does not wait for an answer' : 0;
      case 'head':
        return this.#takeHead(rest);
      case 'bytes': {
        const taken = Math.min(state.left, rest.length);
        state.left -= taken;
        if (state.left === 0) this.#state = { at: state.next };
        return taken;
      }
      default:
        return this.#takeLine(rest, state.at);
    }
  }

  #takeLine(rest: Buffer, at: 'chunk' | 'trailer'): number | string {
    const end = rest.indexOf('\r\n');
    if (end === -1) return rest.length > MOST_LINE_BYTES ? 'a chunk that is not sound' : 0;
    const line = rest.toString('latin1', 0, end);
    if (at === 'trailer') {
      if (end === 0) this.#state = { at: 'head' };
      else if (!LINE.test(line)) return 'a trailer that is not sound';
      return end + 2;
    }
    const size = /^([0-9a-f]{1,12})(?:[ \t]*;[\t\x20-\x7e]*)?$/i.exec(line)?.[1];
    if (size === undefined) return 'a chunk that is not sound';
    const bytes = Number.parseInt(size, 16);
    // A chunk ends with an empty line of its own.
    this.#state = bytes === 0 ? { at: 'trailer' } : { at: 'bytes', left: bytes + 2, next: 'chunk' };
    return end + 2;
  }

  #takeHead(rest: Buffer): number | string {
    const head = readHead(rest);
    if (head === null) return 0;
    if (typeof head === 'string') return head;
    const fault = headFault(head, this.#to);
    if (fault !== null) return fault;
    if (head.isUpgrade && (!this.#isFirst || head.body.is !== 'none'))
      return 'it asks for another protocol in a request that is not the first, or has a body';
    this.#isFirst = false;
    if (head.isUpgrade) this.#state = { at: 'upgrade' };
    else if (head.body.is === 'chunked') this.#state = { at: 'chunk' };
    else if (head.body.is === 'bytes' && head.body.left > 0)
      this.#state = { at: 'bytes', left: head.body.left, next: 'head' };
    return head.length;
  }
}
