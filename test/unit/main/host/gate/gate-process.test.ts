import { once } from 'node:events';
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { GateProcess } from '../../../../../src/main/host/gate/gate-process.ts';
import { identify } from '../../../../../src/node/process-identity.ts';
import { tempDir } from '../../../../support/temp.ts';
import { until } from '../../../../support/until.ts';

/** A host as far as its gate goes, and what it was told, in order. */
function hostHere() {
  const dir = join(tempDir(), 'gate');
  mkdirSync(dir);
  const told: string[] = [];
  const gate = new GateProcess({
    ...{ dir, folder: 'folder', hostKey: 'key', version: '1' },
    ...{ refused: () => undefined, failed: () => undefined },
    onError: (where) => void told.push(where.startsWith('the gate, which is tried again') ? 'failed' : where),
    at: (port) => void told.push(`at ${port}`),
    gone: () => void told.push('gone'),
  });
  onTestFinished(() => gate.close({ leave: true }));
  const record = join(dir, 'process.json');
  return { gate, told, record };
}

/** Takes the place of a gate of this process, which is a live one. */
async function standIn(): Promise<{ readonly server: Server; readonly port: number; readonly sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.write('{}\n');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, sockets };
}

it('says only after several attempts that it is gone, and counts anew once it was there', async () => {
  const { gate, told, record } = hostHere();
  const { port, sockets } = await standIn();
  const write = async (): Promise<void> =>
    writeFileSync(record, JSON.stringify({ ...(await identify(process.pid)), port, version: '1', folder: 'folder' }));
  // A record that cannot be read: nothing can be started.
  mkdirSync(record);
  await gate.takeOver({ isNeeded: true });
  expect(told).toEqual(['failed']);
  await until('the second attempt', () => told.length > 1);
  rmdirSync(record);
  await write();
  await until('the gate', () => told.includes(`at ${port}`));
  expect(told).toEqual(['failed', 'failed', `at ${port}`]);
  told.length = 0;
  const [socket] = sockets;
  rmSync(record);
  mkdirSync(record);
  socket?.destroy();
  await until('that it is gone', () => told.includes('gone'));
  expect(told).toEqual(['failed', 'failed', 'failed', 'failed', 'failed', 'gone']);
});
