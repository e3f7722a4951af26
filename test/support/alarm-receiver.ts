import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A service that takes messages over HTTP, as chat services do. `answer` may be changed at any time. */
export class AlarmReceiver {
  readonly received: Received[] = [];
  answer: (call: Received) => Answer | 'hang up' = () => ({ status: 200 });
  url = '';
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
      this.received.push(call);
      const answer = this.answer(call);
      if (answer === 'hang up') {
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.status, { connection: 'close', ...answer.headers });
      response.end(answer.body ?? '{}');
    });
  });

  /** Starts it; it ends with the test. */
  static async start(onTestFinished: (end: () => Promise<void>) => void): Promise<AlarmReceiver> {
    const receiver = new AlarmReceiver();
    await new Promise<void>((resolve) => {
      receiver.#server.listen(0, '127.0.0.1', resolve);
    });
    receiver.url = `http://127.0.0.1:${(receiver.#server.address() as AddressInfo).port}`;
    onTestFinished(
      () =>
        new Promise((resolve) => {
          receiver.#server.close(() => resolve());
          receiver.#server.closeAllConnections();
        }),
    );
    return receiver;
  }

  /** Bodies as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many services, read by the tests that know them
  get bodies(): any[] {
    return this.received.map(({ body }) => JSON.parse(body));
  }
}
