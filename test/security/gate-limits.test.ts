import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { BotGate } from '../../src/gate/bot-gate.ts';
import { dial } from '../../src/gate/tunnel.ts';
import { UnidentifiedConnections } from '../../src/gate/unidentified-connections.ts';
import { headEnd, Line, Sink, startGate } from '../support/gate/gate-process.ts';
import { tempDir } from '../support/temp.ts';
import { until } from '../support/until.ts';

/** How much of the gate one program can take from the bots of all others. */
class Open extends EventEmitter {
  destroyed = false;
}

afterEach(() => void vi.useRealTimers());

it('a bot has 2000 places from the moment that it asks, and gets each back when it closes', () => {
  const log = (): void => undefined;
  const bot = new BotGate('a', { dir: tempDir(), now: Date.now, refused: log, log });
  const opened = Array.from({ length: 2000 }, () => new Open());
  for (const one of opened) expect(bot.ask(null, one)).toContain('neither a name nor an address');
  expect(bot.ask(null, opened[0] ?? new Open())).toContain('neither a name nor an address');
  expect(bot.ask(null, new Open())).toContain('2000 connections open already');
  opened[7]?.emit('close');
  expect(bot.ask(null, new Open())).toContain('neither a name nor an address');
  expect(bot.ask(null, new Open())).toContain('2000 connections open already');
});

it('a connection that never says who speaks ends, however busy it is', () => {
  vi.useFakeTimers();
  const unidentified = new UnidentifiedConnections();
  const [quiet, named] = [0, 1].map(() => Object.assign(new Open(), { destroy: vi.fn() }));
  if (quiet === undefined || named === undefined) throw new Error('there are two');
  for (const one of [quiet, named]) unidentified.add(one as unknown as Socket);
  unidentified.known(named as unknown as Socket);
  vi.advanceTimersByTime(60_000);
  expect([quiet.destroy.mock.calls.length, named.destroy.mock.calls.length]).toEqual([1, 0]);
});

it('the program that waits longest goes where too many do not say who speaks', async () => {
  const gate = await startGate({ 'api.test': [['127.0.0.1']] });
  onTestFinished(() => gate.close());
  const sink = await new Sink().listen();
  onTestFinished(() => sink.close());
  gate.allow('a', { network: [{ host: 'api.test', port: sink.port, tls: false }], local: [sink.port] });
  const asked = `CONNECT api.test:${sink.port} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const early = new Line(gate.port).send(`BP1 ${gate.identity('a')} P\n${asked}`);
  expect(await early.read(headEnd)).toMatch(/^HTTP\/1\.1 200 /);
  const strangers: Line[] = [];
  onTestFinished(() => {
    for (const one of [early, late, ...strangers]) one.close();
  });
  for (let made = 0; made < 600; made += 1) strangers.push(new Line(gate.port).send('G'));
  const late = new Line(gate.port).send(`BP1 ${gate.identity('a')} P\n${asked}`);
  expect(await late.read(headEnd)).toMatch(/^HTTP\/1\.1 200 /);
  await until(
    'the oldest of 600 to go',
    () => strangers.filter(({ socket }) => socket.readableEnded || socket.destroyed).length >= 100,
  );
  expect(strangers.at(-1)?.socket.destroyed).toBe(false);
  expect(await early.send('\x01\x02').read()).toBe('SINK');
});

it('a refused program that does not close is hung up on', async () => {
  const gate = await startGate({});
  onTestFinished(() => gate.close());
  const at = new Line(gate.port).send('CONNECT api.test:443 HTTP/1.1\r\nHost: x\r\n\r\n');
  onTestFinished(() => at.close());
  expect(await at.read(headEnd)).toMatch(/^HTTP\/1\.1 407 /);
  await until('the end of the connection', () => {
    at.send('x');
    return at.socket.destroyed;
  });
});

/** A port of this machine that answers nothing: its program has stopped, and its queue is full. */
async function deafPort(): Promise<number> {
  const code = `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    console.log(server.address().port); process.kill(process.pid, 'SIGSTOP'); });`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(createInterface(child.stdout), 'line');
  const port = Number(line);
  // The kernel takes one or two for a program that accepts none, and leaves all others without an answer.
  const waiting = Array.from({ length: 8 }, () => connect({ port, host: '127.0.0.1' }).on('error', () => undefined));
  onTestFinished(() => {
    for (const one of waiting) one.destroy();
  });
  await Promise.race(waiting.map((one) => once(one, 'connect')));
  return port;
}

it.skipIf(process.platform !== 'linux')(
  'a server that never answers is given up, and so is one for a program that has gone',
  async () => {
    const port = await deafPort();
    await expect(dial(['127.0.0.1'], port, new Open(), 100)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    const program = new Open();
    const dialled = dial(['127.0.0.1'], port, program);
    program.emit('close');
    await expect(dialled).rejects.toMatchObject({ code: 'ECANCELED' });
  },
);
