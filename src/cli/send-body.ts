import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { errorOf, jsonOf, unreachable } from './host-answer.ts';

export interface Upload {
  /** The host's address, for messages. */
  readonly host: string;
  readonly address: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly loggedIn: boolean;
  readonly signal: AbortSignal | undefined;
  readonly body: AsyncIterable<Uint8Array>;
  /** Called with the number of bytes of the body that are on their way. */
  readonly sent: (bytes: number) => void;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/** Waits until more may be written, or never will be. */
function room(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      request.off('drain', go);
      request.off('close', go);
      resolve();
    };
    request.on('drain', go);
    request.on('close', go);
  });
}

/**
 * Sends a body as it is made, no faster than the host takes it, and gives the JSON of the answer. An early answer counts too,
 * and stops the sending. Errors are PlatformError, or what the body threw.
 */
export function upload(options: Upload): Promise<unknown> {
  const { host, address, method, headers, loggedIn, signal, body, sent } = options;
  const send = address.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    let answered = false;
    const request = send(address, { method, headers, ...(signal === undefined ? {} : { signal }) });
    const wrapped = (error: unknown): unknown => (signal?.aborted === true ? error : unreachable(host, error));

    const read = async (response: IncomingMessage): Promise<void> => {
      const { statusCode: status = 0 } = response;
      try {
        const text = await textOf(response).catch((error: unknown) => {
          throw wrapped(error);
        });
        const retryAfter = response.headers['retry-after'];
        if (status !== 200 && status !== 201) throw errorOf({ status, text, retryAfter }, host, loggedIn);
        resolve(jsonOf(status, text, host));
      } catch (error) {
        reject(error);
      } finally {
        // The rest will never be sent; a waiting connection would keep this process alive.
        request.destroy();
      }
    };
    request.once('response', (response) => {
      answered = true;
      void read(response);
    });
    request.on('error', (error) => {
      // After an answer the host may close while we still send; the answer is what counts.
      if (!answered) reject(wrapped(error));
    });

    const write = async (): Promise<void> => {
      let bytes = 0;
      for await (const chunk of body) {
        if (answered || request.destroyed) return;
        bytes += chunk.length;
        sent(bytes);
        if (!request.write(chunk)) await room(request);
      }
      request.end();
    };
    write().catch((error: unknown) => {
      reject(error);
      request.destroy();
    });
  });
}
