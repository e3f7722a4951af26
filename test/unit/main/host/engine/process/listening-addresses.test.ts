import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listeningOf, parseListening } from '../../../../../../src/main/host/engine/process/listening-addresses.ts';

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const row = (local: string, state: string, inode: number): string =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000000000000000 100 0 0 10 0`;

describe('where a program listens', () => {
  it('is read from the tables of the system', () => {
    const ipv4 = [
      HEAD,
      row('00000000:2504', '0A', 1),
      row('0100007F:0050', '0A', 2),
      row('0100007F:1F90', '01', 3),
      '',
    ];
    expect([...parseListening(ipv4.join('\n'))]).toEqual([
      ['1', { host: '0.0.0.0', port: 9476 }],
      ['2', { host: '127.0.0.1', port: 80 }],
    ]);
    const zero = '0'.repeat(32);
    const ipv6 = [HEAD, row(`${zero}:2504`, '0A', 4), row('00000000000000000000000001000000:0050', '0A', 5)];
    expect([...parseListening(ipv6.join('\n')).values()]).toEqual([
      { host: '::', port: 9476 },
      { host: '::1', port: 80 },
    ]);
    const mapped = [HEAD, row('0000000000000000FFFF00000100007F:0050', '0A', 6)];
    expect([...parseListening(mapped.join('\n')).values()]).toEqual([{ host: '127.0.0.1', port: 80 }]);
    expect([...parseListening('')]).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('is found by its pid, and only that', async () => {
    const server = createServer().listen(0, '0.0.0.0');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : null;
    expect(await listeningOf([process.pid])).toContainEqual({ host: '0.0.0.0', port });
    expect(await listeningOf([])).toEqual([]);
    expect(await listeningOf([2 ** 22 + 1])).toEqual([]);
  });

  it.runIf(process.platform === 'linux' && process.getuid?.() !== 0)(
    'is not known of what nobody may look into',
    async () => {
      expect(await listeningOf([1])).toBeNull();
    },
  );
});
