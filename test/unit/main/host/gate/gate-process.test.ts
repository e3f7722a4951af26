import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { GateProcess, retryMs } from '../../../../../src/main/host/gate/gate-process.ts';
import { identify } from '../../../../../src/node/process-identity.ts';
import { errorText } from '../../../../../src/node/system-error.ts';
import { exists } from '../../../../support/platform.ts';
import { tempDir } from '../../../../support/temp.ts';
import { until } from '../../../../support/until.ts';

/** A host as far as its gate goes, and what it was told, in order. */
function hostHere(own: { readonly startMs?: number; readonly patienceMs?: number } = {}) {
  const dir = join(tempDir(), 'gate');
  mkdirSync(dir);
  const told: string[] = [];
  const gate = new GateProcess({
    ...{ dir, folder: 'folder', hostKey: 'key', version: '1' },
    ...{ refused: () => undefined, failed: () => undefined },
    onError: (where, error) =>
      void told.push(where === 'the gate, which is tried again' ? `failed: ${errorText(error)}` : where),
    at: (port) => void told.push(`at ${port}`),
    gone: () => void told.push('gone'),
    back: (failures) => void told.push(`back after ${failures}`),
    ...own,
  });
  onTestFinished(() => gate.close({ leave: true }));
  const record = join(dir, 'process.json');
  return { gate, told, record };
}

/** What was told of faults. */
const faultsOf = (told: readonly string[]): string[] => told.filter((one) => one.startsWith('failed'));

/** Has the gate be a program that says nothing, until the test ends. Returns the file in which it leaves its pid. */
function muteProgram(onTestFinished: TestContext['onTestFinished']): string {
  const dir = tempDir();
  const pid = join(dir, 'pid');
  const file = join(dir, 'mute');
  writeFileSync(file, `#!/bin/sh\necho $$ > ${pid}.new && mv ${pid}.new ${pid}\nexec sleep 1000\n`, { mode: 0o700 });
  const real = process.execPath;
  process.execPath = file;
  onTestFinished(() => {
    process.execPath = real;
  });
  return pid;
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

it('says only after several attempts that it is gone, says each fault once, and counts anew once it was there', async () => {
  const { gate, told, record } = hostHere();
  const { port, sockets } = await standIn();
  const broken = await standIn('no line of a gate\n');
  const write = async (at: number): Promise<void> => {
    const found = { ...(await identify(process.pid)), port: at, version: '1', folder: 'folder' };
    writeFileSync(record, JSON.stringify(found));
  };
  // A record that cannot be read: nothing can be started.
  mkdirSync(record);
  await gate.takeOver({ isNeeded: true });
  expect(told).toEqual([expect.stringContaining('EISDIR')]);
  rmdirSync(record);
  await write(broken.port);
  // Another fault is told, and told once.
  await until('more attempts', () => broken.sockets.length > 1);
  expect(faultsOf(told)).toEqual([expect.stringContaining('EISDIR'), expect.stringContaining('no gate writes')]);
  await write(port);
  await until('the gate', () => told.includes(`at ${port}`));
  expect(told.slice(2)).toEqual([expect.stringMatching(/^back after [3-9]$/), `at ${port}`]);

  told.length = 0;
  const [socket] = sockets;
  const before = broken.sockets.length;
  await write(broken.port);
  socket?.destroy();
  await until('that it is gone', () => told.includes('gone'));
  expect(told).toEqual([expect.stringContaining('no gate writes'), 'gone']);
  expect(broken.sockets.length - before).toBe(5);
});

it('is tried again ever less often, at the latest after half a minute', () => {
  const pauses = Array.from({ length: 14 }, (_, index) => retryMs(index + 1));
  expect(pauses.slice(0, 7)).toEqual([500, 500, 500, 500, 500, 1000, 2000]);
  expect(pauses.at(-1)).toBe(30_000);
  expect(retryMs(100_000)).toBe(30_000);
});

it('keeps a program waiting for a limited time, and no other after it while an attempt goes on', async () => {
  const { gate, told, record } = hostHere({ patienceMs: 50 });
  const { port, sockets } = await standIn('');
  writeFileSync(record, JSON.stringify({ ...(await identify(process.pid)), port, version: '1', folder: 'folder' }));
  await expect(gate.port()).rejects.toThrow('it has not answered in 50 ms');
  await expect(gate.port()).rejects.toThrow('it has not answered in 50 ms');
  expect(told).toEqual([]);
  // The attempt goes on.
  await until('the connection', () => sockets.length > 0);
  sockets[0]?.write('{}\n');
  await until('the gate', () => told.includes(`at ${port}`));
  expect(await gate.port()).toBe(port);
  expect(sockets.length).toBe(1);
});

it('ends a new gate that does not say that it is ready, and tries again', async ({ onTestFinished }) => {
  const { gate, told } = hostHere({ startMs: 300 });
  const pid = muteProgram(onTestFinished);
  await gate.takeOver({ isNeeded: true });
  expect(told).toEqual([expect.stringContaining('has not said that it is ready in 300 ms')]);
  const first = readFileSync(pid, 'utf8');
  await until('another attempt', () => readFileSync(pid, 'utf8') !== first);
  await until('the end of the first', () => !exists(Number(first)));
});

it('keeps no host from its end while a new gate says nothing', async ({ onTestFinished }) => {
  const { gate } = hostHere();
  const pid = muteProgram(onTestFinished);
  const asked = gate.port();
  const refused = expect(asked).rejects.toThrow('the host ends');
  await until('the program', () => existsSync(pid));
  await gate.close({ leave: true });
  await refused;
  await until('its end', () => !exists(Number(readFileSync(pid, 'utf8'))));
  await expect(gate.port()).rejects.toThrow('the host ends');
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
    const { port, sockets } = await standIn('no line of a gate\n');
    writeFileSync(record, JSON.stringify({ ...(await identify(process.pid)), port, version: '1', folder: 'folder' }));
    await gate.takeOver({ isNeeded });
    expect(told).toEqual([expect.stringContaining('no gate writes')]);
    await until('another attempt', () => sockets.length > 1);
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
