import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { offlineFeed } from '../../src/main/host/feed/offline-feed.ts';

/**
 * Answer to one request of a bot: the offline feed at a moment, a series of closes, a raw answer, a cut connection, or
 * none until the bot gives up.
 */
export type Script =
  | { readonly now: number }
  | { readonly closes: readonly (number | null)[] }
  | { readonly status: number; readonly text: string }
  | 'cut'
  | 'hang';

/** A price server on loopback whose clock is the test's: every request waits for the next scripted answer. */
export interface ScriptedFeed extends AsyncDisposable {
  readonly url: string;
  /** Path and query of every request so far. */
  readonly requests: string[];
  /** Answers the next request; resolves when that request is there and has been answered. */
  answer(script: Script): Promise<void>;
  /** Resolves when a request waits for its answer: the bot has then finished whatever it did with the one before. */
  arrived(): Promise<void>;
}

interface Turn {
  readonly script: Script;
  readonly done: () => void;
}

function reply(request: IncomingMessage, response: ServerResponse, script: Script): void {
  if (script === 'hang') return;
  if (script === 'cut') {
    response.destroy();
    return;
  }
  const send = (status: number, text: string) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  if ('text' in script) {
    send(script.status, script.text);
  } else if ('closes' in script) {
    send(
      200,
      JSON.stringify({ chart: { result: [{ indicators: { quote: [{ close: script.closes }] } }], error: null } }),
    );
  } else {
    const url = new URL(request.url ?? '/', 'http://feed');
    const answer = offlineFeed(url.pathname, url.searchParams, script.now);
    send(answer?.status ?? 404, JSON.stringify(answer?.body));
  }
}

/** Starts a scripted feed on a free port. */
export async function scriptedFeed(): Promise<ScriptedFeed> {
  const waiting: [IncomingMessage, ServerResponse][] = [];
  const turns: Turn[] = [];
  const requests: string[] = [];
  const arrivals: (() => void)[] = [];
  const match = () => {
    while (waiting[0] !== undefined && turns[0] !== undefined) {
      const [request, response] = waiting[0];
      const { script, done } = turns[0];
      waiting.shift();
      turns.shift();
      requests.push(request.url ?? '');
      reply(request, response, script);
      done();
    }
    if (waiting.length > 0) for (const arrive of arrivals.splice(0)) arrive();
  };
  const server = createServer((request, response) => {
    waiting.push([request, response]);
    response.on('close', () => {
      const index = waiting.findIndex(([, other]) => other === response);
      if (index >= 0) waiting.splice(index, 1);
    });
    match();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (script) =>
      new Promise((done) => {
        turns.push({ script, done });
        match();
      }),
    async arrived() {
      await new Promise<void>((arrive) => {
        arrivals.push(arrive);
        match();
      });
      // What the bot printed before was in its pipe when the request came: one more round of the event loop reads it.
      for (let round = 0; round < 2; round++) await new Promise((resolve) => setImmediate(resolve));
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
