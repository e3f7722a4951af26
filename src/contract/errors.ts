/**
 * The one error type of the product. The same object crosses HTTP, CLI `--json`, MCP and the dashboard. A code says whose fault
 * it is (`user` or `system`) and carries the HTTP status; docs/errors.md explains each code, and a test keeps the two lists
 * equal.
 */
import { countProblems } from './cut-problem-list.ts';

interface ErrorRule {
  readonly status: number;
  readonly fault: 'user' | 'system';
  /** The fixed message of codes whose text clients rely on. */
  readonly message?: string;
  readonly hint?: string;
}

const rule = (status: number, fault: ErrorRule['fault'], message?: string, hint?: string): ErrorRule => ({
  status,
  fault,
  ...(message === undefined ? {} : { message }),
  ...(hint === undefined ? {} : { hint }),
});

/** Every stable error code of the product with its HTTP status. Adding one means documenting it in docs/errors.md. */
export const ERROR_RULES = {
  INVALID_REQUEST: rule(400, 'user'),
  INVALID_CONFIG: rule(400, 'user'),
  INVALID_SCHEDULE: rule(400, 'user'),
  INVALID_PACKAGE: rule(400, 'user'),
  AUTHENTICATION_REQUIRED: rule(
    401,
    'user',
    'Authentication required',
    'Send an API key as "x-api-key: <key>" or "Authorization: Bearer <key>". `platform auth login` makes one.',
  ),
  INVALID_API_KEY: rule(
    401,
    'user',
    'API key is invalid',
    'The key is wrong, expired or revoked. Make a new one with `platform keys create` or `platform auth login`.',
  ),
  INVALID_CREDENTIALS: rule(
    401,
    'user',
    'User name or password is wrong',
    'Check both, or ask the owner for a new password.',
  ),
  FORBIDDEN: rule(403, 'user'),
  SESSION_REQUIRED: rule(
    403,
    'user',
    'API keys cannot do this; a person who is logged in can',
    'Log in to the dashboard and do it there, or run the command without a key on the machine of the host.',
  ),
  PIN_REQUIRED: rule(
    403,
    'user',
    'This needs your PIN',
    'Enter it in the dashboard, or run the command in a terminal, which asks for it.',
  ),
  WRONG_PIN: rule(
    403,
    'user',
    'The PIN is wrong',
    'Type it again. An owner of the host removes a forgotten one: `platform pin reset`.',
  ),
  PIN_RESET: rule(403, 'user', 'The PIN was reset less than an hour ago'),
  DELETED_BY_PERSON: rule(
    403,
    'user',
    'A person deleted this, so no key makes it again within a day',
    'Ask the person: they can deploy the bot, or restore it with `platform trash restore`.',
  ),
  ISOLATION_REQUIRED: rule(403, 'user'),
  INTERPRETER_NOT_ALLOWED: rule(403, 'user'),
  BOT_NOT_FOUND: rule(404, 'user', 'Bot not found', 'List your bots with `platform bot list`.'),
  CUSTOM_BOT_NOT_FOUND: rule(
    404,
    'user',
    'Custom bot not found',
    'List what is published with `platform custom-bot list`.',
  ),
  STATE_KEY_NOT_FOUND: rule(404, 'user', 'State key not found', 'List the keys with `platform bot state <bot_id>`.'),
  QUERY_PATH_NOT_FOUND: rule(404, 'user', 'Query path not found'),
  RUN_NOT_FOUND: rule(404, 'user', 'Run not found', 'List the runs with `platform bot runs <bot_id>`.'),
  KEY_NOT_FOUND: rule(404, 'user', 'API key not found', 'List your keys with `platform keys list`.'),
  CHANNEL_NOT_FOUND: rule(404, 'user', 'Alarm channel not found', 'List them with `platform alarms channels`.'),
  APPROVAL_NOT_FOUND: rule(
    404,
    'user',
    'This change does not wait any more',
    'List the changes that wait with `platform approvals list`.',
  ),
  GUARD_NOT_FOUND: rule(404, 'user', 'Guard not found', 'List the guards of a bot with `platform guards list <bot>`.'),
  RULE_NOT_FOUND: rule(404, 'user', 'Alarm rule not found', 'List them with `platform alarms rules`.'),
  SECRET_NOT_FOUND: rule(404, 'user', 'Secret not found', 'List them with `platform secrets list`.'),
  SESSION_NOT_FOUND: rule(404, 'user', 'Session not found', 'List them with `platform sessions list`.'),
  USER_NOT_FOUND: rule(404, 'user', 'User not found', 'List the users with `platform users list`.'),
  PROJECT_NOT_FOUND: rule(404, 'user', 'Project not found', 'Open its folder again in the editor.'),
  FILE_NOT_FOUND: rule(404, 'user', 'File not found'),
  ROUTE_NOT_FOUND: rule(404, 'user', 'No such address', 'The API is described at /api/v1/openapi.json.'),
  METHOD_NOT_ALLOWED: rule(405, 'user', 'Method not allowed'),
  VERSION_EXISTS: rule(409, 'user'),
  VERSION_IN_USE: rule(409, 'user'),
  NAME_TAKEN: rule(409, 'user'),
  CHANNEL_BUSY: rule(409, 'user', 'A message about your PIN still waits on this channel'),
  SECRET_IN_USE: rule(409, 'user'),
  FILE_CHANGED: rule(409, 'user'),
  IDEMPOTENCY_CONFLICT: rule(409, 'user'),
  STALE_GENERATION: rule(409, 'user'),
  BOT_NOT_RUNNING: rule(409, 'user'),
  BOT_RUNNING: rule(409, 'user'),
  BOT_HELD: rule(
    409,
    'user',
    'A guard or a panic holds this bot, so only a person can start it',
    'Read why on the page of the bot or with `platform bot get`, then start it there or with `platform bot start`.',
  ),
  HOLD_UNREAD: rule(
    409,
    'user',
    'The bot is held for another reason than the one that you read',
    'Read why it is held now, and start it again if you still want to.',
  ),
  HOST_RUNNING: rule(409, 'user'),
  COPIED: rule(409, 'user'),
  NEEDS_ARMING: rule(409, 'user', 'The bot uses a live secret, and is not armed'),
  SECRETS_SEALED: rule(409, 'user'),
  INTERPRETER_UNUSABLE: rule(409, 'user'),
  RECOVERY_KEY_SHOWN: rule(
    409,
    'user',
    'The recovery key was shown already, and is shown once',
    'If it is lost, `platform secrets new-key` makes another key, with a recovery key of its own.',
  ),
  TOO_LARGE: rule(413, 'user'),
  UNSUPPORTED_MEDIA_TYPE: rule(415, 'user'),
  RATE_LIMITED: rule(429, 'user'),
  INTERNAL: rule(
    500,
    'system',
    'Something went wrong inside the host',
    'The host log has the details under this request id.',
  ),
  DATA_DAMAGED: rule(500, 'system'),
  QUERY_FAILED: rule(502, 'user'),
  ENGINE_UNAVAILABLE: rule(503, 'system'),
  HOST_UNREACHABLE: rule(503, 'system'),
  QUERY_TIMEOUT: rule(504, 'user'),
  STORAGE_FULL: rule(507, 'system', 'The disk is full', 'Free some space; nothing that was stored is lost.'),
} as const satisfies Record<string, ErrorRule>;

/** A stable error code. */
export type ErrorCode = keyof typeof ERROR_RULES;

/** One problem in something a person wrote; `path` is a field path (`config.short_period`) or `file:line:column`. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** The next step for the person. */
  readonly hint?: string;
}

/** The body of `{"error": …}` on every surface. */
export interface ErrorBody {
  readonly code: ErrorCode;
  readonly message: string;
  /** The next step; null where the message suffices. */
  readonly hint: string | null;
  /** Problems (`{path, message}`) for invalid input, else whatever helps to act on the error. */
  readonly details: unknown;
  readonly request_id: string | null;
}

/** What an error may have besides its code and message. */
export interface PlatformErrorExtras {
  readonly hint?: string | undefined;
  readonly details?: unknown;
  readonly cause?: unknown;
  /** Seconds after which a refused request may be tried again. */
  readonly retryAfter?: number;
}

/** An error that a person or a program may see. Anything else that is thrown becomes `INTERNAL` at the edge. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly code: ErrorCode;
  readonly hint: string | null;
  readonly details: unknown;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message?: string, extras: PlatformErrorExtras = {}) {
    const known: ErrorRule = ERROR_RULES[code];
    super(message ?? known.message ?? code, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.code = code;
    this.hint = extras.hint ?? known.hint ?? null;
    this.details = extras.details ?? null;
    this.retryAfter = extras.retryAfter;
  }

  /** HTTP status of the code. */
  get status(): number {
    return ERROR_RULES[this.code].status;
  }

  /** The wire form; `requestId` ties it to the host's log. */
  toBody(requestId: string | null = null): ErrorBody {
    return { code: this.code, message: this.message, hint: this.hint, details: this.details, request_id: requestId };
  }
}

/** Invalid input with its list of problems; the message names the first one. */
export function invalid(
  code: 'INVALID_REQUEST' | 'INVALID_CONFIG' | 'INVALID_SCHEDULE' | 'INVALID_PACKAGE',
  problems: readonly Problem[],
  hint?: string,
): PlatformError {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${countProblems(problems) - 1} more)` : '';
  const text = first === undefined ? code : first.path === '' ? first.message : `${first.path}: ${first.message}`;
  return new PlatformError(code, `${text}${more}`, { hint: hint ?? first?.hint, details: problems });
}
