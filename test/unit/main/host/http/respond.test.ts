import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, type TestContext, vi } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { sendError } from '../../../../../src/main/host/http/respond.ts';

/** A connection to a server that refuses all, with the head of a request with a body sent; no time passes by itself. */
async function refused(onTestFinished: TestContext['onTestFinished'], body: string): Promise<Socket> {
  const server = createServer((request, response) =>
    sendError(request, response, new PlatformError('TOO_LARGE'), 'req'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    vi.useRealTimers();
    socket.destroy();
    server.close();
  });
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${body}`);
  return socket.setEncoding('latin1');
}

const HALF = 'Content-Length: 8\r\n\r\nhalf';

it('a client that is still sending has its answer at once, and may go on to the end', async ({ onTestFinished }) => {
  const socket = await refused(onTestFinished, HALF);
  const [answer] = await once(socket, 'data');
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer.toLowerCase()).toContain('connection: close');
  expect(answer).toContain('"TOO_LARGE"');
  socket.write('half');
  await once(socket, 'close');
});

it('one that does not go on is let go of', async ({ onTestFinished }) => {
  const socket = await refused(onTestFinished, HALF);
  await once(socket, 'data');
  const closed = once(socket, 'close');
  vi.advanceTimersByTime(3000);
  await closed;
});

it('one that goes on without end is let go of', async ({ onTestFinished }) => {
  const socket = await refused(onTestFinished, 'Transfer-Encoding: chunked\r\n\r\n');
  socket.on('error', () => undefined).resume();
  let open = true;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  void closed.then(() => {
    open = false;
  });
  const chunk = `100000\r\n${'x'.repeat(2 ** 20)}\r\n`;
  for (let sent = 0; open && sent < 200; sent++)
    if (!socket.write(chunk)) await Promise.race([closed, new Promise((resolve) => socket.once('drain', resolve))]);
  await closed;
});
