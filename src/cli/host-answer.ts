import { ERROR_RULES, type ErrorCode, PlatformError, type PlatformErrorExtras } from '../contract/errors.ts';
import { isJsonObject } from '../shared/json.ts';

/** An error that kept the request id of the answer it came in. */
export class RemoteError extends PlatformError {
  readonly requestId: string | null;

  constructor(code: ErrorCode, message: string, extras: PlatformErrorExtras, requestId: string | null) {
    super(code, message, extras);
    this.requestId = requestId;
  }
}

/** The same error with another next step. */
export function withHint(error: PlatformError, hint: string): PlatformError {
  const { code, message, details, retryAfter } = error;
  const extras = { hint, details, ...(retryAfter === undefined ? {} : { retryAfter }) };
  return new RemoteError(code, message, extras, error instanceof RemoteError ? error.requestId : null);
}

/** A host's answer with another status than 200 or 201. */
interface Refusal {
  readonly status: number;
  readonly text: string;
  /** Header `Retry-After`. */
  readonly retryAfter: string | null | undefined;
}

const START_HINT = 'Start it with `platform start`, or name another host with --url.';
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;

const isCode = (value: unknown): value is ErrorCode => typeof value === 'string' && Object.hasOwn(ERROR_RULES, value);
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The system's error code of a failed connection, which fetch keeps one level down; '' without one. */
function systemCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : systemCode(error.cause);
}

/** HOST_UNREACHABLE with the cause, for a failed or broken connection. */
export function unreachable(url: string, cause: unknown): PlatformError {
  const code = systemCode(cause);
  if (CERTIFICATE.test(code)) {
    return new PlatformError('HOST_UNREACHABLE', `${url} shows a certificate that is not trusted here (${code})`, {
      hint: 'Name its file in NODE_EXTRA_CA_CERTS if it is the one of your host.',
      cause,
    });
  }
  const why = code === '' || code === 'ECONNREFUSED' ? '' : ` (${code})`;
  return new PlatformError('HOST_UNREACHABLE', `No host answers at ${url}${why}`, { hint: START_HINT, cause });
}

function stranger(status: number, url: string): PlatformError {
  return new PlatformError('HOST_UNREACHABLE', `${url} answered ${status}, but not as a Bot Platform host`, {
    hint: 'Check the address given by --url or PLATFORM_URL.',
  });
}

/** The JSON of a successful answer; HOST_UNREACHABLE for an answer that no host sent. */
export function jsonOf(status: number, text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw stranger(status, url);
    throw error;
  }
}

const secondsOf = (header: string | null | undefined): { readonly retryAfter?: number } =>
  /^\d{1,9}$/.test(header ?? '') ? { retryAfter: Number(header) } : {};

/** The error that a host answered with. */
export function errorOf({ status, text, retryAfter }: Refusal, url: string, loggedIn: boolean): PlatformError {
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const error = isJsonObject(body) ? body.error : null;
  if (!isJsonObject(error) || !isCode(error.code)) return stranger(status, url);
  const { code, message, hint, details, request_id } = error;
  const login = `Log in with \`platform auth login --url ${url}\`, or set PLATFORM_API_KEY.`;
  const next = code === 'AUTHENTICATION_REQUIRED' && !loggedIn ? login : textOrNull(hint);
  const extras = { hint: next ?? undefined, details, ...secondsOf(retryAfter) };
  return new RemoteError(code, String(message), extras, textOrNull(request_id));
}
