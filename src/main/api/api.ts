import type { Readable } from 'node:stream';
import type { CallName, Output, StreamName, UploadName } from '../../contract/operations.ts';
import type { Principal } from '../auth/auth.ts';

/** Counts what callers ask of the host; a caller that asks too much is told to wait. */
export interface CallRate {
  /** Counts a request; throws RATE_LIMITED with the seconds to wait. */
  take(who: string): void;
  /** Does a costly call. It counts for further requests; a debt is paid back before the next one is let in. */
  weighed<T>(who: string, call: () => Promise<T>): Promise<T>;
}

/** Who asks, from where, and until when the answer matters. */
export interface CallContext {
  /** null for a caller without a credential: only operations with access `open` answer then. */
  readonly principal: Principal | null;
  /** Network address of the caller. */
  readonly address: string;
  /** What the caller says it is (User-Agent), for the audit trail. */
  readonly client: string | null;
  /** The base address the caller used, for links in answers. */
  readonly origin: string;
  readonly signal: AbortSignal;
  /** The surface has counted the request that it was sent; a call that costs more than that is weighed here. */
  readonly rate: CallRate;
  /** Name under which `rate` counts the caller. */
  readonly who: string;
  /** `none`: the surface that calls writes one entry of its own for all that it asks here. Left out: changes are audited. */
  readonly audit?: 'none';
}

/** Where the events of a stream go. */
export interface StreamSink {
  /** Called once before the first event: what to resume after if the stream breaks before there is one. */
  start(id: string): void;
  /** `id` is what to resume after. False means full: the stream sends no more. */
  push(id: string, event: unknown): boolean;
  /** What came before this id cannot be told: the reader looks anew, and reads on from there. The stream is over. */
  gap(id: string, reason: string): void;
  /** The stream is over because its subject is gone. */
  end(): void;
}

/**
 * The operation table as functions: validation, access, audit, then the work. HTTP, and every other surface a person or
 * program reaches, goes through here and nowhere else. Everything thrown is a PlatformError or a fault of the host.
 */
export interface Api {
  call<N extends CallName>(name: N, input: unknown, context: CallContext): Promise<Output<N>>;
  /** Resolves once the stream has begun, to the function that ends it. */
  stream<N extends StreamName>(name: N, input: unknown, context: CallContext, sink: StreamSink): Promise<() => void>;
  upload(name: UploadName, body: Readable, context: CallContext): Promise<Output<UploadName>>;
}
