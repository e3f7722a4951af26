import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { isNestedDeeper } from '../../../shared/json.ts';

/** A bot's raw answer, before it is judged. */
export interface RawAnswer {
  /** HTTP status; null for an answer that came as a file. */
  readonly status: number | null;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'no reason given');
}

function pathNotFound(path: string, available: unknown): PlatformError {
  const paths = Array.isArray(available) ? available.filter((each) => typeof each === 'string') : [];
  const hint =
    paths.length === 0
      ? 'Ask for /info to see which paths the bot offers.'
      : `The bot offers: ${paths.slice(0, 20).join(', ')}${paths.length > 20 ? ', …' : ''}.`;
  const details = { path, available: paths };
  return new PlatformError('QUERY_PATH_NOT_FOUND', `The bot has no query handler for ${path}`, { hint, details });
}

/** The host sends the token of the program's start: a refusal means that its key was lost meanwhile. */
function refusedHost(path: string): PlatformError {
  return new PlatformError('QUERY_FAILED', "The bot's query server does not accept the token of this host", {
    hint: 'Restart the bot: its programs then get a token that this host knows.',
    details: { path, status: 401 },
  });
}

const SHOWN_CHARS = 200;
const SAID_CHARS = 4000;
/** Most of a partly shown text that is masked: megabytes made to be slow would block the host. */
const MASKED_CHARS = 64 * 1024;
/** This close to the end of a cut a secret may begin that looks like other text. */
const UNSURE_CHARS = 1280;

type Mask = (text: string) => string;

/** The masked beginning of a text. */
function beginning(text: string, mask: Mask): string {
  return text.length <= MASKED_CHARS ? mask(text) : mask(text.slice(0, MASKED_CHARS)).slice(0, -UNSURE_CHARS);
}

function shortened(said: string, mask: Mask): string {
  const text = beginning(said, mask);
  if (text.length <= SAID_CHARS && said.length <= MASKED_CHARS) return text;
  return `${text.slice(0, SAID_CHARS)} … [cut: ${said.length} characters in all]`;
}

/** The JSON of an answer; undefined for invalid JSON. */
export function tryJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function notEnvelope(answer: RawAnswer, mask: Mask): PlatformError {
  const { status } = answer;
  const shown = beginning(answer.text, mask).slice(0, SHOWN_CHARS);
  const said = status === null ? 'wrote an answer' : `answered with HTTP status ${status}`;
  const large = status === 414 || status === 431 || status === 413;
  return new PlatformError('QUERY_FAILED', `The bot's query program ${said} that is not a query result`, {
    hint: large
      ? 'The parameters are too large for its server: send less.'
      : 'Answer through the SDK: query.handler and query.run.',
    details: { status, body: shown },
  });
}

/**
 * Opens the answer of a query: `{"status":"ok","data"}` gives the data, `status: "error"` an error. A bot that serves
 * the port without our SDK may answer plain JSON, which is passed on when the HTTP status is good.
 */
export function openEnvelope(answer: RawAnswer, path: string, mask: Mask): unknown {
  const parsed = tryJson(answer.text);
  const { status } = answer;
  const good = status === null || (status >= 200 && status < 300);
  if (parsed === undefined) {
    if (status === 404) throw pathNotFound(path, undefined);
    throw notEnvelope(answer, mask);
  }
  const body = parsed.value;
  if (isNestedDeeper(answer.text, body, LIMITS.answerDepth)) {
    throw new PlatformError('QUERY_FAILED', `The bot's answer is nested deeper than ${LIMITS.answerDepth} levels`, {
      hint: 'Let the handler return something flatter.',
    });
  }
  const fields: Fields = isObject(body) ? body : {};
  if (fields.status === 'ok') return 'data' in fields ? fields.data : body;
  if (fields.status === 'error' || !good) {
    const said = textOf(fields.error ?? fields.message);
    if (status === 404 || said.startsWith('No handler for path')) throw pathNotFound(path, fields.available);
    if (status === 401) throw refusedHost(path);
    if (fields.status !== 'error') throw notEnvelope(answer, mask);
    throw new PlatformError('QUERY_FAILED', shortened(said, mask), {
      hint: "This error comes from the bot's own query handler. Its log may say more.",
      details: { path, said_by: 'bot' },
    });
  }
  if (status === null) throw notEnvelope(answer, mask);
  return body;
}
