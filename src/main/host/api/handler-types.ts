import type { Readable } from 'node:stream';
import type { CallName, DownloadName, Output, Parsed, StreamName, UploadName } from '../../../contract/operations.ts';
import type { Principal } from '../auth/auth.ts';
import type { CallContext, FileDownload, StreamSink } from './api-types.ts';
import type { Reach } from './own-bot.ts';

/** A caller whose access was checked; operations with access `open` get `principal: null` and an empty user id. */
export interface Caller extends CallContext, Reach {}

/** One function per call of the operation table. Input is validated, access is checked. */
export type Handlers = {
  readonly [N in CallName]: (input: Parsed<N>, caller: Caller) => Output<N> | Promise<Output<N>>;
};

/** One function per stream of the operation table. Each returns what closes the stream. */
export type StreamHandlers = {
  readonly [N in StreamName]: (
    input: Parsed<N>,
    caller: Caller,
    sink: StreamSink,
  ) => (() => void) | Promise<() => void>;
};

/**
 * One function per upload of the operation table. A body may take minutes: `stillMay` throws for a caller who may not
 * have it stored any more, and is called before it is.
 */
export type UploadHandlers = {
  readonly [N in UploadName]: (
    input: Parsed<N>,
    body: Readable,
    caller: Caller,
    stillMay: () => void,
  ) => Promise<Output<N>>;
};

/** One function per download of the operation table. */
export type DownloadHandlers = {
  readonly [N in DownloadName]: (input: Parsed<N>, caller: Caller) => Promise<FileDownload>;
};

/** True for a session or the owner of the machine, false for an API key. */
export function isPerson({ principal }: Caller): boolean {
  return principal !== null && principal.method !== 'api_key';
}

/** The principal of an operation that cannot be reached without one. */
export function principalOf(caller: Caller): Principal {
  if (caller.principal === null) throw new Error('an operation with a principal was reached without one');
  return caller.principal;
}
