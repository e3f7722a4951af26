import { BlockList, isIP, isIPv6 } from 'node:net';
import { METADATA_RANGES } from '../shared/metadata-addresses.ts';

/** What an address is to the gate. `never` is refused even where `local` ports are permitted. */
export type AddressKind = 'public' | 'local' | 'never';

/** Ranges of both families. They are two lists, because a list takes an IPv4 address for its mapped form, too. */
function listOf(v4: readonly string[], v6: readonly string[]): (address: string) => boolean {
  const made = (ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
    const list = new BlockList();
    for (const range of ranges) {
      const [net = '', bits = ''] = range.split('/');
      list.addSubnet(net, Number(bits), family);
    }
    return list;
  };
  const [four, six] = [made(v4, 'ipv4'), made(v6, 'ipv6')];
  return (address) => (isIPv6(address) ? six.check(address, 'ipv6') : four.check(address, 'ipv4'));
}

/** Loopback and private networks. */
const isLocal = listOf(
  ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
  ['::1/128', 'fc00::/7'],
);

/**
 * Link-local, metadata services of clouds, multicast, reserved ranges, and those that hide an IPv4 address. The stand-ins of
 * the sandbox (198.18.0.0/15) are among them.
 */
const isNever = listOf(
  [
    ...METADATA_RANGES.v4,
    ...['0.0.0.0/8', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15'],
    ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  ],
  [
    ...METADATA_RANGES.v6,
    ...['::/128', '::/96', '::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32'],
    ...['2002::/16', 'fec0::/10', 'ff00::/8'],
  ],
);

/** The kind of an address in the form that a resolver gives. */
export function addressKind(address: string): AddressKind {
  const plain = address.split('%')[0] ?? '';
  if (plain === '::1') return 'local';
  if (isIP(plain) === 0 || isNever(plain)) return 'never';
  return isLocal(plain) ? 'local' : 'public';
}

/**
 * The address that a text means to any resolver, in plain form; null for a name. `127.1`, `0x7f000001` and `2130706433` are
 * addresses too: getaddrinfo takes them.
 */
export function literalAddress(host: string): string | null {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIP(bare) !== 0) return bare;
  const parts = bare.replace(/\.$/, '').split('.');
  if (parts.length > 4 || !parts.every((part) => /^(?:0x[0-9a-f]*|\d+)$/i.test(part))) return null;
  const numbers = parts.map((part) => {
    if (/^0x/i.test(part)) return Number(part.length === 2 ? '0' : part);
    return /^0\d/.test(part) ? Number.parseInt(part, 8) : Number(part);
  });
  const last = numbers.pop() ?? 0;
  const value = numbers.reduce((sum, number, at) => sum + number * 256 ** (3 - at), last);
  // Whatever does not fit is no name either.
  if (!Number.isInteger(value) || value < 0 || value > 0xff_ff_ff_ff) return '0.0.0.0';
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
