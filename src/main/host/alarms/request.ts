import { request as plainRequest, type RequestOptions } from 'node:http';
import { request as secureRequest } from 'node:https';
import { allowedAddress, type Reach } from './allowed-address.ts';
import { Unreachable } from './send-errors.ts';

/** Time for one message, from looking its host up to the end of the answer. */
export const SEND_MS = 10_000;
const ANSWER_BYTES = 16 * 1024;
const MAX_RETRY_AFTER_MS = 86_400_000;

/** What a message is sent with. */
export interface SendContext {
  readonly reach: Reach;
  readonly now: () => number;
  /** Aborts when the host ends. */
  readonly ended: AbortSignal;
}

/** Aborts after the time for one message, or when the host ends. */
export const withinTime = (ended: AbortSignal): AbortSignal => AbortSignal.any([ended, AbortSignal.timeout(SEND_MS)]);

export interface HttpCall {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  /** The first 16 KiB of the answer. */
  readonly body: string;
  /** From Retry-After, in ms; 0 without one. */
  readonly retryAfterMs: number;
}

/** Reads seconds or a date of a Retry-After header, in ms from `now`; 0 if it is neither. */
export function retryAfter(text: string | undefined, now: number): number {
  if (text === undefined) return 0;
  const seconds = Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms)) : 0;
}

/**
 * Calls an address over HTTP, to where `reach` allows; never follows a redirect, takes 10 s at most, and connects to the address that
 * was checked. Rejects with Unreachable or AddressRefused.
 */
export async function send(call: HttpCall, { reach, now, ended }: SendContext): Promise<HttpAnswer> {
  const signal = withinTime(ended);
  const url = new URL(call.url);
  const { address, family } = await beforeEnd(allowedAddress(url.hostname, reach), signal);
  const body = call.body ?? '';
  const options: RequestOptions = {
    method: call.method ?? 'POST',
    headers: {
      'user-agent': 'bot-platform',
      ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...call.headers,
    },
    agent: false,
    signal,
    lookup: (_host, asked, done) => {
      if (asked.all === true) done(null, [{ address, family }]);
      else done(null, address, family);
    },
  };
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(new Unreachable(failure(error, signal, url.host)));
    const request = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const finish = (): void =>
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).subarray(0, ANSWER_BYTES).toString('utf8'),
          retryAfterMs: retryAfter(response.headers['retry-after'], now()),
        });
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size < ANSWER_BYTES) return;
        finish();
        request.destroy();
      });
      response.on('end', finish);
      response.on('error', fail);
    });
    request.on('error', fail);
    request.end(body);
  });
}

function failure(error: Error, signal: AbortSignal, host: string): string {
  if (signal.aborted) return `${host} did not answer within ${SEND_MS / 1000} s`;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
  return `${host} could not be reached (${code})`;
}

/** The promise, or Unreachable once the signal aborts. */
export function beforeEnd<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new Unreachable(`There was no answer within ${SEND_MS / 1000} s`));
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
