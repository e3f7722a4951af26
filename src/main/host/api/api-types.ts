import type { Readable } from 'node:stream';
import type { CallName, DownloadName, Output, StreamName, UploadName } from '../../../contract/operations.ts';
import type { LoginOrigin, Principal } from '../auth/auth.ts';

/** Counts what callers ask of the host; a caller that asks too much gets RATE_LIMITED. */
export interface CallRate {
  /** Counts a request; throws RATE_LIMITED with the seconds to wait. */
  take(who: string): void;
  /** Does a costly call. It counts for further requests; a debt is paid back before the next one is let in. */
  weighed<T>(who: string, call: () => Promise<T>): Promise<T>;
}

/** Caller of an operation or stream, with what it was authenticated by, its origin, and the signal that ends the call. */
export interface CallContext {
  /** null for a caller without a credential: only operations with access `open` answer then. */
  readonly principal: Principal | null;
  /**
   * The same caller as known at this moment. Work that waits calls this before it acts, because a key may have been
   * revoked, a session ended or a role taken away meanwhile. Throws INVALID_API_KEY or AUTHENTICATION_REQUIRED.
   */
  readonly renew: () => Principal | null;
  /**
   * The confirmation that came with the request (`x-platform-confirmation`), by which a caller without a session shows that it has
   * entered a PIN; its token is null without one. Null on surfaces for assistants: nothing that they send counts as a person.
   */
  readonly confirmation: { readonly token: string | null } | null;
  /** Returns the origin of the caller; computed only where an operation needs it. */
  readonly cameFrom: () => LoginOrigin;
  /** User-Agent of the caller, for the audit trail; null without one. */
  readonly client: string | null;
  /** The base address the caller used, for links in answers. */
  readonly origin: string;
  readonly signal: AbortSignal;
  /** The calling surface has counted the request itself; a call that costs more is weighed by the API. */
  readonly rate: CallRate;
  /** Name under which `rate` counts the caller. */
  readonly who: string;
  /** `none`: the calling surface writes one entry of its own for all its calls here. Left out: changes are audited. */
  readonly audit?: 'none';
}

/** Receiver of the events of a stream. */
export interface StreamSink {
  /** Called once before the first event: what to resume after if the stream breaks before there is one. */
  start(id: string): void;
  /** `id` is what to resume after. False means full: the stream sends no more. */
  push(id: string, event: unknown): boolean;
  /** Events before this id are lost: the reader loads everything again and continues from there. Ends the stream. */
  gap(id: string, reason: string): void;
  /** The stream is over because its subject is gone. */
  end(): void;
}

/** A file that answers a download. */
export interface FileDownload {
  /** Name under which the client keeps it: letters, digits, dots and hyphens. */
  readonly fileName: string;
  readonly contentType: string;
  /** Read it to its end, or destroy it. */
  readonly stream: Readable;
}

/**
 * The operation table as functions: validation, access, audit, then the work. HTTP, and every other surface a person or
 * program reaches, goes through here and nowhere else. Everything thrown is a PlatformError or a fault of the host.
 */
export interface Api {
  call<N extends CallName>(name: N, input: unknown, context: CallContext): Promise<Output<N>>;
  /** Resolves once the stream has begun, to the function that ends it. */
  stream<N extends StreamName>(name: N, input: unknown, context: CallContext, sink: StreamSink): Promise<() => void>;
  upload<N extends UploadName>(name: N, input: unknown, body: Readable, context: CallContext): Promise<Output<N>>;
  download(name: DownloadName, input: unknown, context: CallContext): Promise<FileDownload>;
}
