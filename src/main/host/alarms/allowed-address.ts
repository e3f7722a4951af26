import { lookup as resolve } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { METADATA_RANGES } from '../../../shared/metadata-addresses.ts';
import { AddressRefused, Unreachable } from './send-errors.ts';

/** Which addresses a channel may reach. */
export interface Reach {
  /** Only channels of owners reach addresses of this machine and its networks. */
  readonly private: boolean;
}

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = '', bits = ''] = subnet.split('/');
    list.addSubnet(net, Number(bits), isIPv4(net) ? 'ipv4' : 'ipv6');
  }
  return list;
}

const METADATA = listOf([...METADATA_RANGES.v4, ...METADATA_RANGES.v6]);

const PRIVATE = listOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/127',
  '100::/64',
  '2001:db8::/32',
  'fc00::/7',
  'fec0::/10',
  'ff00::/8',
]);

/** The sixteen bytes of an IPv6 address. */
function bytesOf(address: string): number[] {
  const [plain = ''] = address.split('%');
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(plain);
  const text =
    dotted === null
      ? plain
      : `${dotted[1]}${((Number(dotted[2]) << 8) | Number(dotted[3])).toString(16)}:${((Number(dotted[4]) << 8) | Number(dotted[5])).toString(16)}`;
  const [head = '', tail] = text.split('::');
  const groups = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((one) => Number.parseInt(one, 16));
  const [front, back] = [groups(head), tail === undefined ? [] : groups(tail)];
  const zeros = new Array<number>(Math.max(0, 8 - front.length - back.length)).fill(0);
  return [...front, ...zeros, ...back].flatMap((group) => [group >> 8, group & 0xff]);
}

/** IPv4 addresses that an IPv6 address leads to: mapped, compatible, translated (NAT64) or tunnelled (6to4) ones. */
function embedded(address: string): string[] {
  const bytes = bytesOf(address);
  const at = (from: number): string => bytes.slice(from, from + 4).join('.');
  const isZero = (from: number, to: number): boolean => bytes.slice(from, to).every((byte) => byte === 0);
  const startsWith = (...head: number[]): boolean => head.every((byte, index) => bytes[index] === byte);
  if (isZero(0, 10) && bytes[10] === 0xff && bytes[11] === 0xff) return [at(12)];
  if (isZero(0, 12) && !isZero(12, 15)) return [at(12)];
  if (startsWith(0, 0x64, 0xff, 0x9b)) return [at(12)];
  if (startsWith(0x20, 0x02)) return [at(2)];
  return [];
}

/** Why an address must not be reached; null if it may be. */
export function refusal(address: string, reach: Reach): string | null {
  const [plain = ''] = address.split('%');
  const version = isIP(plain);
  if (version === 0) return 'it is no address';
  if (version === 6) {
    for (const inner of embedded(plain)) {
      const why = refusal(inner, reach);
      if (why !== null) return why;
    }
  }
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (METADATA.check(plain, family)) return 'no channel may reach a link-local address or the metadata of a cloud';
  if (!reach.private && PRIVATE.check(plain, family)) return 'only channels of an owner may reach private addresses';
  return null;
}

/**
 * Resolves a host to an address that may be reached. The connection must go to this very address, because a second look-up may
 * answer differently. Throws AddressRefused or Unreachable.
 */
export async function allowedAddress(
  host: string,
  reach: Reach,
): Promise<{ readonly address: string; readonly family: number }> {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  const literal = isIP(bare);
  const found =
    literal === 0
      ? await resolve(bare, { all: true }).catch((error: NodeJS.ErrnoException) => {
          throw new Unreachable(`The name ${bare} cannot be looked up (${error.code ?? error.message})`);
        })
      : [{ address: bare, family: literal }];
  let why: string | null = 'it has no address';
  for (const one of found) {
    why = refusal(one.address, reach);
    if (why === null) return one;
  }
  throw new AddressRefused(`${bare} was refused: ${why}`);
}
