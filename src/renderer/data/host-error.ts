import type { ErrorBody, ErrorCode } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { isJsonObject } from '../../shared/json.ts';
import { hintHere } from '../../shared/npx-command.ts';

/** Problems have hints of their own; the first of these is that of the error. */
function detailsHere(details: unknown): unknown {
  if (!Array.isArray(details)) return details;
  return details.map((one: unknown) =>
    isJsonObject(one) && typeof one.hint === 'string' ? { ...one, hint: hintHere(one.hint) } : one,
  );
}

/** An error of the host as every surface shows it: what happened, what to do, and a stable code. */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly code: ErrorCode | 'CONNECTION_LOST';
  readonly hint: string | null;
  readonly details: unknown;
  readonly requestId: string | null;

  constructor(body: Omit<ErrorBody, 'code'> & { readonly code: ErrorCode | 'CONNECTION_LOST' }) {
    super(body.message);
    this.code = body.code;
    this.hint = body.hint === null ? null : hintHere(body.hint);
    this.details = detailsHere(body.details);
    this.requestId = body.request_id;
  }

  /** The connection went while an answer was awaited. */
  static lost(): HostError {
    return new HostError({
      code: 'CONNECTION_LOST',
      message: 'The connection to the host was lost before it answered',
      hint: 'Check whether it was done, then try again.',
      details: null,
      request_id: null,
    });
  }

  /** There is no connection: the call has not left this page. */
  static away(): HostError {
    return new HostError({
      code: 'CONNECTION_LOST',
      message: 'The host does not answer, so nothing was done',
      hint: 'Try again when the page says that the host is back.',
      details: null,
      request_id: null,
    });
  }

  /** The host takes no message of that size: the call has not left this page. */
  static tooLarge(): HostError {
    return new HostError({
      code: 'TOO_LARGE',
      message: `That is more than the ${LIMITS.requestBytes / 2 ** 20} MiB that the host accepts at once, so nothing was done`,
      hint: 'Make it smaller, or split it.',
      details: null,
      request_id: null,
    });
  }
}

/** Anything that was thrown, as an error that can be shown. */
export function toHostError(thrown: unknown): HostError {
  if (thrown instanceof HostError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new HostError({ code: 'INTERNAL', message, hint: null, details: null, request_id: null });
}
