import type { ServerResponse } from 'node:http';
import { describe, expect, it, type TestContext } from 'vitest';
import { createClient } from '../../../src/cli/client.ts';
import type { Client } from '../../../src/cli/command.ts';
import { PlatformError } from '../../../src/contract/errors.ts';
import { openStream, refuse, type Seen, type SmallHost, sendEvent, smallHost } from './small-host.ts';

const ID = `bot_${'0'.repeat(26)}`;
const batch = (seq: number) => ({ logs: [], metrics: [], seq });

/** A host whose n-th connection is answered by the n-th function; further ones by the last. */
function connections(
  finished: TestContext['onTestFinished'],
  ...answers: ((response: ServerResponse, request: Seen) => void)[]
): Promise<SmallHost> {
  let count = 0;
  return smallHost(finished, (request, response) => {
    const answer = answers[Math.min(count, answers.length - 1)];
    count += 1;
    answer?.(response, request);
  });
}

/** Ids of the events until there are `many`, or the stream ends by itself. */
async function follow(client: Client, many = Number.POSITIVE_INFINITY): Promise<string[]> {
  const stop = new AbortController();
  const ids: string[] = [];
  for await (const { id } of client.stream('logs.stream', { bot_id: ID, tail: 5 }, stop.signal)) {
    ids.push(id);
    if (ids.length === many) stop.abort();
  }
  return ids;
}

const clientOf = (host: SmallHost, onRetry?: (message: string) => void) =>
  createClient({ url: host.url, credential: 'k', ...(onRetry === undefined ? {} : { onRetry }) });

describe('stream', () => {
  it('goes on after a lost connection from the last event, and says so once', async ({ onTestFinished }) => {
    const host = await connections(
      onTestFinished,
      (response) => {
        openStream(response);
        sendEvent(response, 7, batch(7));
        response.write(`id: 8\ndata: ${JSON.stringify(batch(8))}\n\nid: 9\ndata: {"half`, () => response.destroy());
      },
      (response) => response.destroy(),
      (response) => {
        openStream(response);
        sendEvent(response, 9, batch(9));
      },
    );
    const notes: string[] = [];
    expect(
      await follow(
        clientOf(host, (note) => notes.push(note)),
        3,
      ),
    ).toEqual(['7', '8', '9']);
    expect(host.seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '8', '8']);
    expect(host.seen[0]).toMatchObject({ url: `/api/v1/bots/${ID}/stream?tail=5`, headers: { 'x-api-key': 'k' } });
    expect(notes).toEqual(['Connection lost, trying again…', 'Connected again.']);
  });

  it('goes on from where a stream began that was lost before its first event', async ({ onTestFinished }) => {
    const host = await connections(
      onTestFinished,
      (response) => {
        openStream(response);
        response.write('id: 5\n\n', () => response.destroy());
      },
      (response) => {
        openStream(response);
        sendEvent(response, 6, batch(6));
      },
    );
    expect(await follow(clientOf(host), 1)).toEqual(['6']);
    expect(host.seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '5']);
  });

  it('goes on for a bot that had said nothing yet', async ({ onTestFinished }) => {
    const host = await connections(
      onTestFinished,
      (response) => {
        openStream(response);
        response.write(': keep-alive\n\n', () => response.destroy());
      },
      (response) => {
        openStream(response);
        sendEvent(response, 1, batch(1));
      },
    );
    expect(await follow(clientOf(host), 1)).toEqual(['1']);
    expect(host.seen).toHaveLength(2);
  });

  it('goes on when the host ends the connection in order, and while it is starting', async ({ onTestFinished }) => {
    const host = await connections(
      onTestFinished,
      (response) => {
        openStream(response);
        sendEvent(response, 3, batch(3));
        response.end();
      },
      (response) => refuse(response, 503, { code: 'ENGINE_UNAVAILABLE', message: 'starting' }),
      (response) => {
        openStream(response);
        sendEvent(response, 4, batch(4));
      },
    );
    expect(await follow(clientOf(host), 2)).toEqual(['3', '4']);
  });

  it('takes the new local token of a host that was started again', async ({ onTestFinished }) => {
    let token = 'old';
    const host = await connections(
      onTestFinished,
      (response) => {
        openStream(response);
        sendEvent(response, 1, batch(1));
        response.end();
      },
      (response) => {
        token = 'new';
        refuse(response, 401, { code: 'INVALID_API_KEY', message: 'API key is invalid' });
      },
      (response) => {
        openStream(response);
        sendEvent(response, 2, batch(2));
      },
    );
    const client = createClient({
      url: host.url,
      credential: null,
      renew: async () => ({ url: host.url, credential: token }),
    });
    expect(await follow(client, 2)).toEqual(['1', '2']);
    expect(host.seen.map(({ headers }) => headers['x-api-key'])).toEqual(['old', 'old', 'new']);
  });

  it('asks for the address again, also while there is none', async ({ onTestFinished }) => {
    const next = await connections(onTestFinished, (response) => {
      openStream(response);
      sendEvent(response, 2, batch(2));
    });
    const old = await connections(onTestFinished, (response) => {
      openStream(response);
      sendEvent(response, 1, batch(1));
      response.end();
    });
    const addresses = [old.url, null, next.url];
    const renew = async () => {
      const found = addresses.length > 1 ? addresses.shift() : next.url;
      if (typeof found === 'string') return { url: found, credential: 'k' };
      throw new PlatformError('HOST_UNREACHABLE', 'No host runs');
    };
    expect(await follow(createClient({ url: old.url, credential: 'k', renew }), 2)).toEqual(['1', '2']);
  });

  it('is over when the bot was deleted', async ({ onTestFinished }) => {
    const host = await connections(
      onTestFinished,
      (response) => {
        openStream(response);
        sendEvent(response, 1, batch(1));
        response.end();
      },
      (response) => refuse(response, 404, { code: 'BOT_NOT_FOUND', message: 'Bot not found' }),
    );
    expect(await follow(clientOf(host))).toEqual(['1']);
  });

  it.for([
    [404, 'BOT_NOT_FOUND'],
    [401, 'INVALID_API_KEY'],
    [503, 'ENGINE_UNAVAILABLE'],
  ] as const)('a first connection that fails with %s fails the stream', async ([status, code], { onTestFinished }) => {
    const host = await connections(onTestFinished, (response) => refuse(response, status, { code, message: 'no' }));
    await expect(follow(clientOf(host))).rejects.toMatchObject({ code });
    expect(host.seen).toHaveLength(1);
  });

  it('fails at once where no host is', async () => {
    const client = createClient({ url: 'http://127.0.0.1:9', credential: 'k' });
    await expect(follow(client)).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
  });

  it('a forbidden reconnection is told, not tried for ever', async ({ onTestFinished }) => {
    const host = await connections(
      onTestFinished,
      (response) => {
        openStream(response);
        sendEvent(response, 1, batch(1));
        response.end();
      },
      (response) => refuse(response, 403, { code: 'FORBIDDEN', message: 'no' }),
    );
    await expect(follow(clientOf(host))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('ends with the signal and closes its connection', async ({ onTestFinished }) => {
    const closed = Promise.withResolvers<void>();
    const host = await connections(onTestFinished, (response) => {
      response.once('close', () => closed.resolve());
      openStream(response);
      sendEvent(response, 1, batch(1));
    });
    expect(await follow(clientOf(host), 1)).toEqual(['1']);
    await closed.promise;
  });

  it('closes its connection when nobody reads on', async ({ onTestFinished }) => {
    const closed = Promise.withResolvers<void>();
    const host = await connections(onTestFinished, (response) => {
      response.once('close', () => closed.resolve());
      openStream(response);
      sendEvent(response, 1, batch(1));
    });
    for await (const _ of clientOf(host).stream('bots.stream', {}, new AbortController().signal)) break;
    await closed.promise;
  });
});
