import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { Bot } from '../../../../../src/contract/bot.ts';
import type { Api, StreamSink } from '../../../../../src/main/host/api/api-types.ts';
import type { Auth } from '../../../../../src/main/host/auth/auth.ts';
import { botListBytes } from '../../../../../src/main/host/http/bot-list.ts';
import { RateLimit } from '../../../../../src/main/host/http/rate-limit.ts';
import { createSocketServer, SOCKET_PATH } from '../../../../../src/main/host/http/socket.ts';
import type { Logger } from '../../../../../src/node/logger.ts';

const MIB = 2 ** 20;
/** More than the system takes for a reader that does not read. */
const BYTES = 32 * MIB;
const items = Array.from({ length: 32 }, (_, at) => ({ bot_id: `bot_${at}`, name: 'x'.repeat(MIB) }) as unknown as Bot);

/** The socket server over an API that lists these bots, and keeps where the events of a stream go. */
async function served(call?: (id: number) => Promise<unknown>) {
  const asked: StreamSink[] = [];
  let answered = Promise.withResolvers<void>();
  const api = {
    call: async (_name: string, { id }: { id: number }) => {
      if (call !== undefined) return call(id);
      // By the next turn the answer is on its way.
      setImmediate(() => answered.resolve());
      return { items };
    },
    stream: async (_name: string, _input: unknown, _context: unknown, sink: StreamSink) => {
      asked.push(sink);
      sink.start('0');
      return () => undefined;
    },
  } as unknown as Api;
  const principal = { userId: 'user_1', keyId: null, role: 'owner' };
  const auth = { recognise: () => ({ principal: { ...principal } }), isFresh: () => false } as unknown as Auth;
  const logger = { debug: () => undefined, error: () => undefined } as unknown as Logger;
  const now = () => 0;
  const limit = new RateLimit({ perSecond: 1000, burst: 1000 }, now);
  const guard = { address: '127.0.0.1', secure: false };
  const sockets = createSocketServer({ api, auth, logger, limit, guard, now });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    asked,
    /** As when another role is given to the user of the page. */
    demote() {
      principal.role = 'user';
      sockets.checkCredentials();
    },
    /** A page that is connected. */
    async page() {
      const page = new WebSocket(`ws://127.0.0.1:${port}${SOCKET_PATH}`, { headers: { 'x-api-key': 'k' } });
      onTestFinished(() => page.terminate());
      await once(page, 'open');
      return page;
    },
    /** Asks for the list from a page that does not read; resolves when the answer is on its way. */
    async list(page: WebSocket, id: number) {
      page.pause();
      answered = Promise.withResolvers<void>();
      page.send(JSON.stringify({ id, call: 'bots.list', input: {} }));
      await answered.promise;
    },
  };
}

it('cuts off no stream because a large answer is on its way', async () => {
  const { asked, page: connect, list } = await served();
  const page = await connect();
  const heard: { id: number; event?: unknown; result?: { items: unknown[] } }[] = [];
  page.on('message', (data) => heard.push(JSON.parse(String(data))));
  page.send(JSON.stringify({ id: 1, stream: 'bots.stream', input: {} }));
  await once(page, 'message');
  await list(page, 2);
  expect(asked[0]?.push('7', { event_id: 7 })).toBe(true);
  page.resume();
  while (heard.length < 3) await once(page, 'message');
  expect(heard[1]?.result?.items).toHaveLength(items.length);
  expect(heard[2]).toEqual({ id: 1, event: { event_id: 7 }, cursor: '7' });
});

it('holds a list once, however many readers it is on its way to', async () => {
  const { page, list } = await served();
  botListBytes({ items });
  const before = process.memoryUsage().arrayBuffers;
  for (let id = 0; id < 6; id++) await list(await page(), id);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(BYTES);
});

it('answers what it does when the role changes, begins nothing more for the old one, and ends', async () => {
  const begun: number[] = [];
  const goOn = Promise.withResolvers<void>();
  const four = Promise.withResolvers<void>();
  const { page: connect, demote } = await served(async (id) => {
    begun.push(id);
    if (begun.length === 4) four.resolve();
    await goOn.promise;
    return { id };
  });
  const page = await connect();
  const heard: { id: number }[] = [];
  page.on('message', (data) => heard.push(JSON.parse(String(data))));
  const closed = once(page, 'close');
  for (const id of [1, 2, 3, 4, 5, 6]) page.send(JSON.stringify({ id, call: 'users.update', input: { id } }));
  await four.promise;
  demote();
  goOn.resolve();
  expect((await closed)[0]).toBe(4403);
  expect(heard.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  expect(begun).toEqual([1, 2, 3, 4]);
});
