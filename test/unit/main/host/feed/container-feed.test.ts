import { createServer, Server } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ContainerFeed } from '../../../../../src/main/host/feed/container-feed.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const CHART = '/v8/finance/chart/SPY?range=1mo';

/** A feed of a host that listens on this port. */
function feedOf(port: number, faults: string[] = []): ContainerFeed {
  const feed = new ContainerFeed(
    () => `http://127.0.0.1:${port}`,
    () => NOW,
    (where, error) => faults.push(`${where}: ${String(error)}`),
  );
  onTestFinished(() => feed.close());
  return feed;
}

/** A port that is taken on an address until the test is done; `address` has it, others need not. */
async function taken(address: string): Promise<number> {
  const server = createServer();
  onTestFinished(() => {
    server.close();
  });
  await new Promise<void>((done) => server.listen(0, address, done));
  const at = server.address();
  if (at === null || typeof at === 'string') throw new Error('no port');
  return at.port;
}

// Only Linux has the whole of 127.0.0.0/8.
describe.runIf(process.platform === 'linux')('prices for bots in containers', () => {
  it('are the same at another address, and nothing else is', async () => {
    const port = await taken('127.0.0.1');
    const feed = feedOf(port);
    // The port of the host, which is free there.
    expect(await feed.serveAt('127.0.0.9')).toBe(port);
    const answer = await fetch(`http://127.0.0.9:${port}/feed${CHART}`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ chart: { result: [{ meta: { symbol: 'SPY' } }] } });
    for (const path of ['/', '/api/v1/bots', '/feed/../api/v1/host', '/mcp']) {
      expect((await fetch(`http://127.0.0.9:${port}${path}`)).status).toBe(404);
    }
    expect((await fetch(`http://127.0.0.9:${port}/feed${CHART}`, { method: 'POST' })).status).toBe(404);
  });

  it('are served once for an address, also when two ask at once', async () => {
    const feed = feedOf(await taken('127.0.0.1'));
    const ports = await Promise.all([feed.serveAt('127.0.0.10'), feed.serveAt('127.0.0.10')]);
    expect(ports[0]).toEqual(expect.any(Number));
    expect(ports[0]).toBe(ports[1]);
  });

  it('take another port where that of the host is taken', async () => {
    const port = await taken('127.0.0.12');
    const served = await feedOf(port).serveAt('127.0.0.12');
    expect(served).not.toBe(port);
    expect((await fetch(`http://127.0.0.12:${served}/feed${CHART}`)).status).toBe(200);
  });

  it('are served at no address that this machine has not', async () => {
    const feed = feedOf(await taken('127.0.0.1'));
    expect(await feed.serveAt('192.0.2.1')).toBeNull();
    // Asked again: the network of bots may be there by then.
    expect(await feed.serveAt('192.0.2.1')).toBeNull();
  });

  it('are not there where nothing may be served, and are again once it may', async () => {
    const faults: string[] = [];
    const feed = feedOf(await taken('127.0.0.1'), faults);
    const listen = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
      queueMicrotask(() => this.emit('error', Object.assign(new Error('not allowed'), { code: 'EACCES' })));
      return this;
    });
    onTestFinished(() => listen.mockRestore());
    expect(await feed.serveAt('127.0.0.14')).toBeNull();
    expect(faults[0]).toMatch(
      /^prices for containers could not be served at 127\.0\.0\.14, port \d+: Error: not allowed$/,
    );
    listen.mockRestore();
    expect(await feed.serveAt('127.0.0.14')).toEqual(expect.any(Number));
  });

  it('end with the host', async () => {
    const feed = feedOf(await taken('127.0.0.1'));
    const port = await feed.serveAt('127.0.0.13');
    await feed.close();
    await expect(fetch(`http://127.0.0.13:${port}/feed${CHART}`)).rejects.toThrow('fetch failed');
  });
});

it('is named in configs by each address that leads to the host', () => {
  expect(feedOf(4747).urls()).toEqual([
    'http://127.0.0.1:4747/feed',
    'http://127.0.0.1:4747/feed',
    'http://localhost:4747/feed',
  ]);
});
