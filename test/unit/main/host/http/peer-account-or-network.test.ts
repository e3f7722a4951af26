import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { accountOf, type Ends, sourceOf } from '../../../../../src/main/host/http/peer-account-or-network.ts';

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const line = (from: string, to: string, uid: number): string =>
  `   7: ${from} ${to} 01 00000000:00000000 00:00000000 00000000  ${uid}        0 433549 1 000000003e800c1e 100 0 0 10 0\n`;
const ends = (remoteAddress: string, localAddress = '127.0.0.1'): Ends => ({
  remoteAddress,
  remotePort: 40_000,
  localAddress,
  localPort: 4747,
});
const tables =
  (tcp: string, tcp6 = '') =>
  (name: 'tcp' | 'tcp6') =>
    HEAD + (name === 'tcp' ? tcp : tcp6);

describe('the source of a connection', () => {
  it('on this machine is the account of the program at its other end', () => {
    // The end of the host, whose account is another, stands in the same table.
    const tcp = line('0100007F:128B', '0100007F:9C40', 1) + line('0100007F:9C40', '0100007F:128B', 1001);
    expect(sourceOf(ends('127.0.0.1'), tables(tcp))).toBe('account 1001 of this machine');
    expect(sourceOf(ends('::ffff:127.0.0.1', '::ffff:127.0.0.1'), tables(tcp))).toBe('account 1001 of this machine');
    const one = '00000000000000000000000001000000';
    const tcp6 = line(`${one}:9C40`, `${one}:128B`, 1002);
    expect(sourceOf(ends('::1', '::1'), tables('', tcp6))).toBe('account 1002 of this machine');
    // A program that speaks IPv4 over a socket for both.
    const mapped = '0000000000000000FFFF00000100007F';
    const both = line(`${mapped}:9C40`, `${mapped}:128B`, 1003);
    expect(sourceOf(ends('127.0.0.1'), tables('', both))).toBe('account 1003 of this machine');
  });

  it('is the address where the system does not tell, and never the account of another connection', () => {
    const other = line('0100007F:9C41', '0100007F:128B', 1001) + line('0100007F:9C40', '0100007F:128C', 1001);
    expect(sourceOf(ends('127.0.0.1'), tables(other))).toBe('127.0.0.1');
    expect(sourceOf(ends('127.0.0.1'), () => null)).toBe('127.0.0.1');
    expect(accountOf({}, tables(other))).toBeNull();
  });

  it('elsewhere is its address, of IPv6 the network of it', () => {
    const never = (): string => {
      throw new Error('asked about another machine');
    };
    expect(sourceOf(ends('192.0.2.7'), never)).toBe('192.0.2.7');
    expect(sourceOf(ends('::ffff:192.0.2.7'), never)).toBe('192.0.2.7');
    expect(sourceOf(ends('2001:db8:1:2:aaaa::1'), never)).toBe('2001:db8:1:2::/64');
    expect(sourceOf(ends('2001:db8:1:2:bbbb::9'), never)).toBe('2001:db8:1:2::/64');
    expect(sourceOf(ends('fe80::1%eth0'), never)).toBe('fe80:0:0:0::/64');
  });

  it.runIf(process.platform === 'linux').each(['127.0.0.1', '::1'])(
    'is told by Linux for a connection to %s',
    async (address) => {
      const server = createServer();
      const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
      await new Promise<void>((resolve) => server.listen(0, address, resolve));
      const bound = server.address();
      const client = connect(typeof bound === 'object' && bound !== null ? bound.port : 0, address);
      try {
        expect(sourceOf(await accepted)).toBe(`account ${process.getuid?.()} of this machine`);
      } finally {
        client.destroy();
        (await accepted).destroy();
        server.close();
      }
    },
  );
});
