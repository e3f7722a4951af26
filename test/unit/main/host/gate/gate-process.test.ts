import { once } from 'node:events';
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
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
async function standIn(
  says = '{}\n',
): Promise<{ readonly server: Server; readonly port: number; readonly sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.write(says);
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

it('starts a gate where the one that was found has left its port, and takes that for no fault', async () => {
  const { gate, record } = hostHere();
  const { port, server } = await standIn();
  // A gate that ends with its last connection: it lives, and nobody listens at its port.
  server.close();
  await once(server, 'close');
  const found = { ...(await identify(process.pid)), port, version: '0', folder: 'folder' };
  writeFileSync(record, JSON.stringify(found));
  // It goes as far as to begin a log of the next gate, for which there is a folder in the way.
  mkdirSync(join(dirname(record), 'gate.log'));
  await expect(gate.port()).rejects.toMatchObject({ code: 'EISDIR' });
});

it('tries again where a gate that was found cannot be joined, whether or not programs look for it', async () => {
  for (const isNeeded of [false, true]) {
    const { gate, told, record } = hostHere();
    const { port } = await standIn('no line of a gate\n');
    writeFileSync(record, JSON.stringify({ ...(await identify(process.pid)), port, version: '1', folder: 'folder' }));
    await gate.takeOver({ isNeeded });
    expect(told).toEqual(['failed']);
    await until('another attempt', () => told.length > 1);
    await gate.close({ leave: true });
  }
});

it('remembers where the gate of an earlier host was', async () => {
  const { gate, record } = hostHere();
  expect(gate.foundPort).toBeNull();
  const { port, sockets } = await standIn();
  const found = { ...(await identify(process.pid)), port, version: '1', folder: 'folder' };
  writeFileSync(record, JSON.stringify(found));
  await gate.takeOver({ isNeeded: true });
  expect(gate.foundPort).toBe(port);
  const next = await standIn();
  writeFileSync(record, JSON.stringify({ ...found, port: next.port }));
  sockets[0]?.destroy();
  await until('the next gate', () => next.sockets.length > 0);
  expect(await gate.port()).toBe(next.port);
  expect(gate.foundPort).toBe(port);
});
