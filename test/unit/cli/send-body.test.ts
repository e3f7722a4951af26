import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, type TestContext } from 'vitest';
import { createClient } from '../../../src/cli/client.ts';
import type { Client } from '../../../src/cli/command.ts';
import { until } from '../../support/until.ts';
import { json, refuse } from './small-host.ts';

const CHUNK = new Uint8Array(64 * 1024).fill(7);
const PUBLISHED = { custom_bot: { name: 'sma', version: '1.0.0' }, created: true, warnings: [] };

async function hostOf(
  finished: TestContext['onTestFinished'],
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  signal?: AbortSignal,
): Promise<Client> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  finished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  return createClient({
    url: `http://127.0.0.1:${port}`,
    credential: 'plat_k',
    ...(signal === undefined ? {} : { signal }),
  });
}

async function* chunks(count: number, onEach: (index: number) => void = () => undefined) {
  for (let index = 0; index < count; index++) {
    onEach(index);
    yield CHUNK;
  }
}

async function sizeOf(request: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of request) bytes += chunk.length;
  return bytes;
}

describe('publish', () => {
  it('streams the package and tells how much is on its way', async ({ onTestFinished }) => {
    let got: { bytes: number; headers: IncomingMessage['headers']; target: string } | null = null;
    const client = await hostOf(onTestFinished, async (request, response) => {
      const { headers, method, url } = request;
      got = { bytes: await sizeOf(request), headers, target: `${method} ${url}` };
      json(response, 201, PUBLISHED);
    });
    const sent: number[] = [];
    expect(await client.upload('custom_bots.publish', {}, chunks(40), (bytes) => sent.push(bytes))).toEqual(PUBLISHED);
    expect(got).toMatchObject({
      bytes: 40 * CHUNK.length,
      target: 'POST /api/v1/custom-bots',
      headers: { 'content-type': 'application/octet-stream', 'x-api-key': 'plat_k', 'transfer-encoding': 'chunked' },
    });
    expect(sent.at(-1)).toBe(40 * CHUNK.length);
    expect(sent).toEqual([...sent].sort((a, b) => a - b));
  });

  it('names the content hash that the package must have', async ({ onTestFinished }) => {
    const asked: string[] = [];
    const client = await hostOf(onTestFinished, async (request, response) => {
      asked.push(`${request.method} ${request.url} ${await sizeOf(request)}`);
      json(response, 201, PUBLISHED);
    });
    const hash = 'a'.repeat(64);
    await client.upload('custom_bots.publish', { hash }, chunks(1), () => undefined);
    expect(asked).toEqual([`POST /api/v1/custom-bots?hash=${hash} ${CHUNK.length}`]);
  });

  it('makes no more of the package than the host takes', async ({ onTestFinished }) => {
    const go = Promise.withResolvers<void>();
    const client = await hostOf(onTestFinished, async (request, response) => {
      await go.promise;
      await sizeOf(request);
      json(response, 201, PUBLISHED);
    });
    let made = 0;
    const done = client.upload(
      'custom_bots.publish',
      {},
      chunks(1000, () => {
        made += 1;
      }),
      () => undefined,
    );
    let before = -1;
    await until('the sending to stall', () => {
      const stalled = made > 0 && made === before;
      before = made;
      return stalled;
    });
    expect(made).toBeLessThan(900);
    go.resolve();
    await done;
    expect(made).toBe(1000);
  });

  it('stops sending when the host has answered already', async ({ onTestFinished }) => {
    const client = await hostOf(onTestFinished, (_, response) =>
      refuse(response, 413, { code: 'TOO_LARGE', message: 'The package is too large' }),
    );
    const closed = Promise.withResolvers<void>();
    async function* endless() {
      try {
        for (;;) yield CHUNK;
      } finally {
        closed.resolve();
      }
    }
    await expect(client.upload('custom_bots.publish', {}, endless(), () => undefined)).rejects.toMatchObject({
      code: 'TOO_LARGE',
      requestId: 'req_1',
    });
    await closed.promise;
  });

  it('gives on what making the package threw, and ends the request', async ({ onTestFinished }) => {
    const cut = Promise.withResolvers<void>();
    const client = await hostOf(onTestFinished, (request) => {
      request.on('error', () => cut.resolve());
      request.resume();
    });
    const failing = chunks(20, (index) => {
      if (index === 10) throw new Error('a file changed');
    });
    await expect(client.upload('custom_bots.publish', {}, failing, () => undefined)).rejects.toThrow('a file changed');
    await cut.promise;
  });

  it('is unreachable when the connection breaks', async ({ onTestFinished }) => {
    const client = await hostOf(onTestFinished, (request) => request.socket.destroy());
    await expect(client.upload('custom_bots.publish', {}, chunks(200), () => undefined)).rejects.toMatchObject({
      code: 'HOST_UNREACHABLE',
    });
  });

  it('ends with the signal', async ({ onTestFinished }) => {
    const stop = new AbortController();
    const client = await hostOf(onTestFinished, () => stop.abort(), stop.signal);
    await expect(client.upload('custom_bots.publish', {}, chunks(100_000), () => undefined)).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});

describe('a download', () => {
  const bytesOf = async (client: Client): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of client.download('custom_bots.export', { name: 'sma', version: '1.0.0' }))
      chunks.push(chunk);
    return Buffer.concat(chunks);
  };

  it('gives the bytes of the file', async ({ onTestFinished }) => {
    const asked: string[] = [];
    const client = await hostOf(onTestFinished, (request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers['x-api-key']}`);
      response.write(CHUNK);
      response.end(CHUNK);
    });
    expect(await bytesOf(client)).toEqual(Buffer.concat([CHUNK, CHUNK]));
    expect(asked).toEqual(['GET /api/v1/custom-bots/sma/package?version=1.0.0 plat_k']);
  });

  it('throws what the host says instead', async ({ onTestFinished }) => {
    const client = await hostOf(onTestFinished, (_, response) =>
      refuse(response, 404, { code: 'CUSTOM_BOT_NOT_FOUND', message: 'Custom bot not found' }),
    );
    await expect(bytesOf(client)).rejects.toMatchObject({ code: 'CUSTOM_BOT_NOT_FOUND', requestId: 'req_1' });
  });

  it('is never taken for whole when it was cut', async ({ onTestFinished }) => {
    const client = await hostOf(onTestFinished, (_, response) => {
      response.write(CHUNK, () => response.destroy());
    });
    await expect(bytesOf(client)).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
  });
});
