import { readFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import { isLoopback } from './listen.ts';

/** Both ends of a connection, as the host's socket reports them. */
export interface Ends {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

/** Reads a table of the system's connections; null where none exists. */
export type ReadTable = (name: 'tcp' | 'tcp6') => string | null;

/** The eight groups of an IPv6 address as the sockets of Node write it. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const numbers = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16));
  const [before, after] = [numbers(head), numbers(tail ?? '')];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

/** Returns an IPv4 address without its IPv6 prefix. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/**
 * Returns the network by which an address is counted: of IPv6 the whole /64 network, in which one machine can have any
 * number of addresses.
 */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address).slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');

/**
 * Formats bytes in words of four, each in reverse order, as Linux prints them on the machines that releases are built
 * for.
 */
const words = (bytes: readonly number[]): string => {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    parts.push(
      ...bytes
        .slice(at, at + 4)
        .reverse()
        .map((byte) => hex(byte, 2)),
    );
  }
  return parts.join('');
};

/** Returns an end of a connection as each table of Linux writes it. */
function written(address: string, port: number): { readonly tcp: string | null; readonly tcp6: string } {
  if (isIPv4(address)) {
    const bytes = address.split('.').map(Number);
    const mapped = [...Array.from({ length: 10 }, () => 0), 255, 255, ...bytes];
    return { tcp: `${words(bytes)}:${hex(port, 4)}`, tcp6: `${words(mapped)}:${hex(port, 4)}` };
  }
  const bytes = groupsOf(address).flatMap((group) => [group >> 8, group & 255]);
  return { tcp: null, tcp6: `${words(bytes)}:${hex(port, 4)}` };
}

/** Returns the account of this machine that runs the program at the other end of a local connection; null if unknown. */
export function accountOf(ends: Ends, read: ReadTable): number | null {
  const { remoteAddress, remotePort, localAddress, localPort } = ends;
  if (remoteAddress === undefined || remotePort === undefined) return null;
  if (localAddress === undefined || localPort === undefined) return null;
  const [theirs, ours] = [written(plain(remoteAddress), remotePort), written(plain(localAddress), localPort)];
  for (const table of ['tcp', 'tcp6'] as const) {
    const [from, to] = [theirs[table], ours[table]];
    if (from === null || to === null) continue;
    const line = read(table)
      ?.split('\n')
      .find((one) => one.includes(`: ${from} ${to} `));
    const uid = line?.trim().split(/\s+/)[7];
    if (uid !== undefined && /^\d+$/.test(uid)) return Number(uid);
  }
  return null;
}

/** Reads a table of Linux; no other system tells the owner of a connection. */
const readTable: ReadTable = (name) => {
  if (process.platform !== 'linux') return null;
  try {
    return readFileSync(`/proc/self/net/${name}`, 'latin1');
  } catch (error) {
    // A machine without IPv6, or a container without permission to read the table.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES')) return null;
    throw error;
  }
};

/**
 * Identifies the peer without a log-in: by the account of a local program, so that one account cannot use up another's
 * attempts, else by network address.
 */
export function sourceOf(ends: Ends, read: ReadTable = readTable): string {
  const address = plain(ends.remoteAddress ?? '');
  if (!isLoopback(address)) return networkOf(address);
  const account = accountOf(ends, read);
  return account === null ? address : `account ${account} of this machine`;
}
