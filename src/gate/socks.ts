import { type Destination, readDestination } from './destination.ts';

/** A greeting or request of SOCKS 5 that is complete, with the bytes that it took. `null`: more are needed. */
export type Greeting = { readonly methods: readonly number[]; readonly length: number } | null | 'broken';
export type Credentials = { readonly password: string; readonly length: number } | null | 'broken';
export type SocksRequest =
  | { readonly command: number; readonly to: Destination | null; readonly length: number }
  | null
  | 'broken';

export const NO_LOGIN = 0;
export const PASSWORD = 2;
export const CONNECT = 1;

/** RFC 1928, section 3. */
export function readGreeting(bytes: Buffer): Greeting {
  if (bytes.length > 0 && bytes[0] !== 5) return 'broken';
  const count = bytes[1];
  if (count === undefined || bytes.length < 2 + count) return null;
  return { methods: [...bytes.subarray(2, 2 + count)], length: 2 + count };
}

/** RFC 1929. */
export function readCredentials(bytes: Buffer): Credentials {
  if (bytes.length > 0 && bytes[0] !== 1) return 'broken';
  const nameLength = bytes[1];
  if (nameLength === undefined) return null;
  const length = bytes[2 + nameLength];
  if (length === undefined) return null;
  const end = 3 + nameLength + length;
  return bytes.length < end ? null : { password: bytes.toString('latin1', 3 + nameLength, end), length: end };
}

function hostOf(bytes: Buffer, type: number): { readonly text: string; readonly end: number } | null | 'broken' {
  if (type === 1) return bytes.length < 8 ? null : { text: bytes.subarray(4, 8).join('.'), end: 8 };
  if (type === 3) {
    const length = bytes[4];
    if (length === undefined || bytes.length < 5 + length) return null;
    return { text: bytes.toString('latin1', 5, 5 + length), end: 5 + length };
  }
  if (type !== 4) return 'broken';
  if (bytes.length < 20) return null;
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(4 + at * 2).toString(16));
  return { text: `[${groups.join(':')}]`, end: 20 };
}

/** RFC 1928, section 4. `to` is null for what is neither a name nor an address. */
export function readSocksRequest(bytes: Buffer): SocksRequest {
  if (bytes.length > 0 && bytes[0] !== 5) return 'broken';
  const [, command, , type] = bytes;
  if (command === undefined || type === undefined) return null;
  const host = hostOf(bytes, type);
  if (host === null || host === 'broken') return host;
  if (bytes.length < host.end + 2) return null;
  return { command, to: readDestination(host.text, bytes.readUInt16BE(host.end)), length: host.end + 2 };
}

/** Answer to a request: 0 for a connection, else why there is none. */
export const socksAnswer = (code: number): Buffer => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
