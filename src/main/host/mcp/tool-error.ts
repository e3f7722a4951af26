import { countProblems } from '../../../contract/cut-problem-list.ts';
import { PlatformError, type Problem } from '../../../contract/errors.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { cutAloud } from './answer-size.ts';
import { inTools } from './tool-words.ts';
import { BOT_TEXT_NOTICE, visible } from './untrusted.ts';

/** Result of `tools/call` (MCP): everything appears once, as text, which clients of every revision pass to their model. */
export interface ToolResult {
  readonly content: readonly Record<string, unknown>[];
  readonly isError?: true;
  readonly _meta?: Record<string, unknown>;
}

/** Key of the error's code in a result's `_meta`. */
export const ERROR_META = 'bot-platform/error';

/** Next step for an assistant, by error code; the hints of the errors themselves address people at a command line. */
const NEXT: Readonly<Record<string, string>> = {
  BOT_NOT_FOUND: 'Call bot_list and use a bot_id exactly as it returns it.',
  CUSTOM_BOT_NOT_FOUND: 'Call custom_bot_list for the names and versions that exist.',
  FILE_NOT_FOUND: 'Call custom_bot_files without path for the files of that version.',
  STATE_KEY_NOT_FOUND: 'Call bot_state_list for the keys that this bot has stored.',
  INVALID_CONFIG: 'Call custom_bot_schema, correct the settings, and call again.',
  NAME_TAKEN: 'Call bot_list: if that bot is the one you mean, use bot_update; else choose another name.',
  DELETED_BY_PERSON:
    'Nothing was made. Do not try another way: ask the user, who can deploy or restore it in the dashboard.',
  IDEMPOTENCY_CONFLICT: 'Nothing was deployed. Use a new idempotency_key for a new bot.',
  STALE_GENERATION: 'Nothing was changed. Call bot_get, then decide again, with the generation that it shows.',
  FORBIDDEN: 'The API key does not allow this. Ask the user for a key with another scope.',
  SESSION_REQUIRED: 'No API key can do this. Ask the user to do it in the dashboard.',
  SECRET_NOT_FOUND:
    'Ask the user for the name of a secret, or to store one in Settings, Secrets. Never ask for its value.',
  SECRETS_SEALED: 'Ask the user to give the recovery key in Settings, Secrets.',
  INTERNAL: 'This is a fault of the host, not yours. Try once more; if it repeats, tell the user the time of the call.',
  RATE_LIMITED: 'Wait, then go on with fewer calls.',
  RUN_NOT_FOUND: 'Call logs_summary or bot_get for a run_id of this bot.',
};

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'path' in value && 'message' in value;
}

/** Limits of an error's text in bytes, and of the problems that it lists: clients cut off longer texts. */
const TEXT_BYTES = 8000;
const MOST_PROBLEMS = 25;

/** Returns a problem as one line; of a problem that the message states already only its hint, null if it has none. */
function problemLine({ path, message, hint }: Problem, said: string): string | null {
  const text = `${path === '' ? '' : `${path}: `}${message}`;
  const way = hint === undefined ? null : inTools(hint);
  if (said.startsWith(text)) return way === null ? null : cutAloud(way, 1000);
  return cutAloud(`- ${text}${way === null ? '' : ` (${way})`}`, 1000);
}

function problemLines({ details, message }: PlatformError): string[] {
  if (!Array.isArray(details)) return [];
  const problems = details.filter(isProblem);
  const lines = problems.slice(0, MOST_PROBLEMS).map((problem) => problemLine(problem, message));
  const more = countProblems(problems) - lines.length;
  return [...lines.filter((line) => line !== null), ...(more === 0 ? [] : [`- and ${more} more`])];
}

/** Splits an error into a message of the platform and a quote: words of the bot itself appear only behind the notice. */
function spoken(error: PlatformError): { readonly message: string; readonly quote: string | null } {
  const byBot = isJsonObject(error.details) && error.details.said_by === 'bot';
  if (!byBot) return { message: error.message, quote: null };
  return { message: "The bot's query handler answered with an error.", quote: `${BOT_TEXT_NOTICE}\n${error.message}` };
}

/** Converts an error into a result of a tool: the exact message, then the next step; its code in `_meta` for programs. */
export function errorResult(error: PlatformError, more?: string): ToolResult {
  const problems = problemLines(error);
  const { message, quote } = spoken(error);
  // The problems of a list have hints of their own.
  const hint = error.hint === null ? null : inTools(error.hint);
  const told = hint !== null && problems.some((line) => line.includes(hint));
  const next = NEXT[error.code] ?? (told ? null : hint);
  const text = [quote, ...problems, next, more].filter((part) => part !== null && part !== undefined).join('\n');
  const shown = (part: string) => ({ type: 'text', text: cutAloud(visible(part), TEXT_BYTES) });
  return {
    isError: true,
    content: [shown(message), ...(text === '' ? [] : [shown(text)])],
    _meta: { [ERROR_META]: { code: error.code } },
  };
}

/** Converts any thrown value to a PlatformError; an unexpected one reveals nothing about the host. */
export function toPlatformError(thrown: unknown): PlatformError {
  return thrown instanceof PlatformError ? thrown : new PlatformError('INTERNAL', undefined, { cause: thrown });
}
