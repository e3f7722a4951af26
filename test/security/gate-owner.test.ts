import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { HOST_ID, identityOf } from '../../src/gate/identity.ts';
import { GateProcess } from '../../src/main/host/gate/gate-process.ts';
import { folderIdentity } from '../../src/node/data-folder-place.ts';
import { identify, isAlive, type ProcessIdentity } from '../../src/node/process-identity.ts';
import { systemErrorCode } from '../../src/node/system-error.ts';
import { headEnd, Line } from '../support/gate/gate-process.ts';
import { tempDir } from '../support/temp.ts';
import { until } from '../support/until.ts';

/** Whose the gate is: a host with the folder that it was started for, and nobody who gets hold of its port. */
interface Host {
  readonly gate: GateProcess;
  readonly told: string[];
  /** Where the gate was, and why it had to leave the port before. */
  readonly places: string[];
  close(options?: { readonly leave: boolean }): Promise<void>;
}

/** A host as far as its gate goes. */
function hostOn(
  root: string,
  version = '1',
  own: { readonly hostKey?: string; readonly answerMs?: number } = {},
): Host {
  const dir = join(root, 'gate');
  mkdirSync(dir, { recursive: true });
  const told: string[] = [];
  const onError = (where: string): void => void told.push(where);
  const given = { hostKey: 'key of the host', patienceMs: 60_000, ...own };
  const parts = { dir, folder: folderIdentity(root), version, ...given };
  const places: string[] = [];
  const gate = new GateProcess({
    ...{ ...parts, onError, refused: () => undefined, failed: () => undefined },
    at: (port, why) => void places.push(`${port} ${why}`),
    gone: (error) => void places.push(`gone: ${String(error)}`),
    back: () => undefined,
  });
  let closed: Promise<void> | null = null;
  const close = (options = { leave: false }): Promise<void> => {
    closed ??= gate.close(options);
    return closed;
  };
  onTestFinished(() => close());
  return { gate, told, places, close };
}

const recordIn = (root: string): ProcessIdentity & { readonly port: number } =>
  JSON.parse(readFileSync(join(root, 'gate/process.json'), 'utf8'));

/** Ends a gate, if a test has left it. */
function stop(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error;
  }
}

async function answerTo(port: number, identity: string): Promise<string> {
  const header = `Proxy-Authorization: Basic ${Buffer.from(`bot:${identity}`).toString('base64')}\r\n`;
  const line = new Line(port).send(`CONNECT api.test:443 HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
  const answer = await line.read(headEnd);
  line.close();
  return answer;
}

it('is not taken over, drained or ended by a host with a copy of its folder', async () => {
  const root = tempDir();
  const original = hostOn(root);
  const port = await original.gate.port();
  const before = recordIn(root);
  const copied = join(tempDir(), 'copy');
  cpSync(root, copied, { recursive: true });

  const copy = hostOn(copied, '2');
  await copy.gate.takeOver({ isNeeded: false });
  expect(recordIn(copied)).toEqual(before);
  const said = new Line(port).send(`BP1 ${identityOf(copy.gate.key, HOST_ID)} H\nend\n`);
  expect(await said.read(() => false)).toBe('{"stranger":true}\n');
  said.close();
  expect(await copy.gate.port()).not.toBe(port);
  expect(await answerTo(port, identityOf(copy.gate.key, 'a'))).toMatch(/^HTTP\/1\.1 407 /);
  await copy.close();
  expect(await isAlive(before)).toBe(true);
  expect(recordIn(root)).toEqual(before);
  // It is still its own host's, and takes connections.
  expect(await answerTo(port, identityOf(original.gate.key, 'a'))).toMatch(/^HTTP\/1\.1 403 /);
  await original.close();
  await until('the gate to end with its host', async () => !(await isAlive(before)));
});

it('takes another port where its own is taken, and what was heard there proves nothing', async () => {
  const root = tempDir();
  const first = hostOn(root);
  const port = await first.gate.port();
  const heard = identityOf(first.gate.key, 'a');
  expect(await answerTo(port, heard)).toMatch(/^HTTP\/1\.1 403 /);
  await first.close();
  const thief = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void thief.close());
  await once(thief, 'listening');

  const second = hostOn(root);
  const other = await second.gate.port();
  expect(other).not.toBe(port);
  expect(second.told).toEqual([expect.stringContaining(`the gate on its port ${port}`)]);
  expect(second.places).toEqual([expect.stringMatching(new RegExp(`^${other} .*EADDRINUSE`))]);
  expect(await answerTo(other, heard)).toMatch(/^HTTP\/1\.1 407 /);
  const pass = identityOf(second.gate.key, 'a');
  expect(await answerTo(other, pass)).toMatch(/^HTTP\/1\.1 403 /);

  // The next host takes it over with the passes that hold now.
  await second.close({ leave: true });
  const third = hostOn(root);
  expect(await third.gate.port()).toBe(other);
  expect(identityOf(third.gate.key, 'a')).toBe(pass);
});

it('gives way where it knows another key than its host, or does not answer', async () => {
  for (const isStopped of [false, true]) {
    const root = tempDir();
    const first = hostOn(root);
    const port = await first.gate.port();
    const before = recordIn(root);
    onTestFinished(() => stop(before.pid));
    const pass = identityOf(first.gate.key, 'a');
    await first.close({ leave: true });
    if (isStopped) process.kill(before.pid, 'SIGSTOP');
    const second = hostOn(root, '1', isStopped ? { answerMs: 500 } : { hostKey: 'another key' });
    const other = await second.gate.port();
    expect(other).not.toBe(port);
    expect(second.told).toEqual([expect.stringContaining(`the gate on its port ${port}`)]);
    expect(await answerTo(other, pass)).toMatch(/^HTTP\/1\.1 407 /);
    expect(await answerTo(other, identityOf(second.gate.key, 'a'))).toMatch(/^HTTP\/1\.1 403 /);
    if (isStopped) process.kill(before.pid, 'SIGCONT');
    await until('the end of the gate before', async () => !(await isAlive(before)));
    expect(recordIn(root).port).toBe(other);
    await second.close();
  }
});

it('is not waited for without end when a newer version asks for its port', async () => {
  const root = tempDir();
  const host = hostOn(root, '2', { answerMs: 5000 });
  const silent = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.resume().write('{}\n');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const old = spawn('sleep', ['3600']);
  onTestFinished(() => void old.kill('SIGKILL'));
  const ended = once(old, 'exit');
  const record = { ...(await identify(old.pid ?? 0)), port, version: '1', folder: folderIdentity(root) };
  writeFileSync(join(root, 'gate/process.json'), JSON.stringify(record));
  expect(await host.gate.port()).not.toBe(port);
  expect(host.told).toEqual([expect.stringContaining(`the gate on its port ${port}`)]);
  expect(await ended).toEqual([null, 'SIGTERM']);
});

it('is back on its port with the same passes when it dies, and writes no key for that', async () => {
  const root = tempDir();
  const { gate, close } = hostOn(root);
  const port = await gate.port();
  const pass = identityOf(gate.key, 'a');
  const before = recordIn(root);
  const key = statSync(join(root, 'gate/key'));
  process.kill(before.pid, 'SIGKILL');
  await until('another gate', () => recordIn(root).pid !== before.pid);
  expect(await gate.port()).toBe(port);
  expect(await answerTo(port, pass)).toMatch(/^HTTP\/1\.1 403 /);
  expect(statSync(join(root, 'gate/key'))).toMatchObject({ ino: key.ino, mtimeMs: key.mtimeMs });
  await close();
});

it('leaves its port to a newer version at once', async () => {
  const root = tempDir();
  const old = hostOn(root);
  const port = await old.gate.port();
  await old.close({ leave: true });
  const next = hostOn(root, '2');
  expect(await next.gate.port()).toBe(port);
  expect(next.told).toEqual([]);
});

it('goes on for the connections that it has when a newer version takes its port, and ends with the last one', async () => {
  const root = tempDir();
  const old = hostOn(root);
  const port = await old.gate.port();
  const before = recordIn(root);
  const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  onTestFinished(() => void echo.close());
  await once(echo, 'listening');
  const policy = { mode: 'observe', network: [], local: [], exempt: [] };
  writeFileSync(join(root, 'gate/policies/a.json'), JSON.stringify(policy));
  // As the supervisor of a sandbox connects.
  const identity = identityOf(old.gate.key, 'a');
  const line = new Line(port).send(`BP1 ${identity} C 127.0.0.1 ${(echo.address() as AddressInfo).port}\n`);
  expect(await line.read()).toBe('+\n');
  expect(await line.send('one').read()).toBe('one');
  await old.close({ leave: true });
  const next = hostOn(root, '2');
  expect(await next.gate.port()).toBe(port);
  expect(recordIn(root).pid).not.toBe(before.pid);
  expect(await line.send('two').read()).toBe('two');
  expect(await isAlive(before)).toBe(true);
  line.close();
  await until('the end of the old gate', async () => !(await isAlive(before)));
});

it('goes on where the disk does not take its record, says so, and writes it later', async () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'key'), Buffer.alloc(32, 1));
  const record = join(dir, 'process.json');
  // What no rename replaces, for root neither.
  mkdirSync(record);
  const program = resolve(import.meta.dirname, '../../src/main/egress-gate.ts');
  const child = spawn(process.execPath, [program, dir, '0', '1', 'folder'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(createInterface(child.stdout), 'line');
  const said = JSON.parse(String(line));
  expect(said).toMatchObject({ ready: true, unrecorded: expect.any(String) });
  expect(await answerTo(said.port, identityOf(Buffer.alloc(32, 1), 'a'))).toMatch(/^HTTP\/1\.1 403 /);
  rmdirSync(record);
  await until('the record', () => existsSync(record));
  expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ port: said.port, folder: 'folder' });
});

it('leaves the record of a gate that has come after it', async () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'key'), Buffer.alloc(32, 1));
  const record = join(dir, 'process.json');
  mkdirSync(record);
  const program = resolve(import.meta.dirname, '../../src/main/egress-gate.ts');
  const child = spawn(process.execPath, [program, dir, '0', '1', 'folder'], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const errors: string[] = [];
  createInterface(child.stderr).on('line', (error) => errors.push(error));
  const [line] = await once(createInterface(child.stdout), 'line');
  expect(JSON.parse(String(line))).toMatchObject({ unrecorded: expect.any(String) });
  const successor = JSON.stringify({ ...(await identify(process.pid)), port: 1, version: '2', folder: 'folder' });
  rmdirSync(record);
  writeFileSync(record, successor);
  await until('its word', () => errors.some((error) => error.startsWith('another gate has come after this one')));
  expect(readFileSync(record, 'utf8')).toBe(successor);
});

it('hears a line cut, and what no gate writes, without an end of its host', async () => {
  const root = tempDir();
  const host = hostOn(root);
  const sockets: Socket[] = [];
  const stranger = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
    // Not read: what the host sends then makes the cut a reset.
    socket.pause();
    socket.write(sockets.length === 1 ? 'no line of a gate\n' : '{}\n');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void stranger.close());
  await once(stranger, 'listening');
  const { port } = stranger.address() as AddressInfo;
  const record = { ...(await identify(process.pid)), port, version: '1', folder: folderIdentity(root) };
  writeFileSync(join(root, 'gate/process.json'), JSON.stringify(record));

  await expect(host.gate.port()).rejects.toThrow('a line that no gate writes');
  expect(await host.gate.port()).toBe(port);
  sockets[1]?.resetAndDestroy();
  await until('the next connection', () => sockets.length > 2);
  expect(host.told).toEqual(['the connection to the gate']);
  await host.close({ leave: true });
});

it('is started for programs that look for it where the gate of an earlier host has died, and at the port where they look', async () => {
  const root = tempDir();
  const first = hostOn(root);
  const port = await first.gate.port();
  await first.close({ leave: true });
  stop(recordIn(root).pid);
  await until('the end of the gate', async () => !(await isAlive(recordIn(root))));

  const idle = hostOn(root);
  await idle.gate.takeOver({ isNeeded: false });
  expect(idle.places).toEqual([]);
  const second = hostOn(root);
  await second.gate.takeOver({ isNeeded: true });
  expect(second.places).toEqual([`${port} null`]);
});

it('says that it is gone when it cannot be started again, and where it is once it can', async () => {
  const root = tempDir();
  const { gate, places } = hostOn(root);
  const port = await gate.port();
  // No record of it can be read, so that the next start fails.
  const file = join(root, 'gate/process.json');
  const { pid } = recordIn(root);
  const record = readFileSync(file);
  rmSync(file);
  mkdirSync(file);
  stop(pid);
  await until('a start that fails', () => places.some((place) => place.startsWith('gone: ')));
  rmdirSync(file);
  writeFileSync(file, record);
  await until('the gate', () => places.at(-1) === `${port} null`);
});
