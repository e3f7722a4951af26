import { PlatformError, type Problem } from '../../contract/errors.ts';

/** Result of `tools/call` (MCP). On success `structuredContent` is complete; on an error everything is in `content`. */
export interface ToolResult {
  readonly content: readonly Record<string, unknown>[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
  readonly _meta?: Record<string, unknown>;
}

/** Where the error object of the platform stands in a result's `_meta`. */
export const ERROR_META = 'bot-platform/error';

/** What an assistant does next; the hints of the errors themselves speak to people at a command line. */
const NEXT: Readonly<Record<string, string>> = {
  BOT_NOT_FOUND: 'Call bot_list and use a bot_id exactly as it returns it.',
  CUSTOM_BOT_NOT_FOUND: 'Call custom_bot_list for the names and versions that exist.',
  STATE_KEY_NOT_FOUND: 'Call bot_state_list for the keys that this bot has stored.',
  INVALID_CONFIG: 'Call custom_bot_schema, correct the settings, and call again.',
  NAME_TAKEN: 'Call bot_list: if that bot is the one you mean, use bot_update; else choose another name.',
  FORBIDDEN: 'The API key does not allow this. Ask the user for a key with another scope.',
  INTERNAL: 'This is a fault of the host, not yours. Try once more; if it repeats, tell the user the time of the call.',
  RATE_LIMITED: 'Wait, then go on with fewer calls.',
};

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'path' in value && 'message' in value;
}

function problemLines({ details }: PlatformError): string[] {
  if (!Array.isArray(details)) return [];
  return details.filter(isProblem).map(({ path, message, hint }) => {
    const where = path === '' ? '' : `${path}: `;
    return `- ${where}${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
}

/** An error as a tool's result: the message exactly, then how to go on; the whole object in `_meta` for programs. */
export function errorResult(error: PlatformError, more?: string): ToolResult {
  const problems = problemLines(error);
  // A list of problems carries its own hints.
  const next = NEXT[error.code] ?? (problems.length > 0 ? null : error.hint);
  const text = [...problems, ...(next === null ? [] : [next]), ...(more === undefined ? [] : [more])].join('\n');
  return {
    isError: true,
    content: [{ type: 'text', text: error.message }, ...(text === '' ? [] : [{ type: 'text', text }])],
    _meta: { [ERROR_META]: error.toBody() },
  };
}

/** Anything thrown as the one error type; what nobody expected tells nothing of the host. */
export function toPlatformError(thrown: unknown): PlatformError {
  return thrown instanceof PlatformError ? thrown : new PlatformError('INTERNAL', undefined, { cause: thrown });
}
