import { literalAddress } from './address.ts';

/** Where a program wants to go. */
export interface Destination {
  /** A name in lower case without a last dot, or an address in plain form. */
  readonly host: string;
  readonly port: number;
  readonly isAddress: boolean;
}

const NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Reads a host that a program has named; null for one that is neither a name of the DNS nor an address. */
export function readDestination(text: string, port: number): Destination | null {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return null;
  const address = literalAddress(text);
  if (address !== null) return { host: address, port, isAddress: true };
  const host = text.toLowerCase().replace(/\.$/, '');
  return NAME.test(host) ? { host, port, isAddress: false } : null;
}

/** Reads `host:port`, or `host` with a default; null for anything else, so for an IPv6 address without brackets. */
export function readAuthority(text: string, defaultPort: number | null): Destination | null {
  const found = /^(\[[0-9a-f:.]{2,45}\]|[^:[\]/@\s]{1,254})(?::(\d{1,5}))?$/i.exec(text);
  const port = found?.[2] === undefined ? defaultPort : Number(found[2]);
  return found?.[1] === undefined || port === null ? null : readDestination(found[1], port);
}

/** True where a program that is connected to `to` may call it so: by its name, or a loopback address `localhost`. */
export const isCalled = (to: Destination, host: string): boolean =>
  host === to.host || (to.isAddress && host === 'localhost' && (to.host === '::1' || to.host.startsWith('127.')));

/** A destination as people read it. */
export const written = ({ host, port }: Pick<Destination, 'host' | 'port'>): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
