import { replaceFile } from './files.mjs';
import { currentRequest, isQueryRun, runHandler } from './mode.mjs';
import { parse } from './output.mjs';
import { jsonParams } from './params.mjs';
import { serve } from './server.mjs';
import { isWaiting, receive, report } from './warm.mjs';

const handlers = new Map();

/** What a handler gets: parameters are strings. */
class Request {
  #params;

  constructor(path, params) {
    this.path = path;
    this.#params = params;
  }

  /** A parameter as text, or `fallback` (null unless given) when it was not sent. */
  get(name, fallback = null) {
    return this.#params.get(name) ?? fallback;
  }

  /** Whether a parameter was sent. */
  has(name) {
    return this.#params.has(name);
  }

  /** All parameters. */
  get params() {
    return Object.fromEntries(this.#params);
  }
}

const paths = () => [...handlers.keys()].sort();

const BUILT_IN = {
  '/health': () => ({ status: 'healthy' }),
  '/info': () => ({ available_queries: paths() }),
};

function failure(code, error) {
  return { code, text: JSON.stringify({ status: 'error', error }) };
}

/** What was thrown, in words. A bot may throw anything, even what cannot be made a text. */
function wordsOf(thrown) {
  try {
    return String(thrown instanceof Error ? thrown.message || thrown.name : thrown);
  } catch {
    return 'the handler failed';
  }
}

/** Runs the handler of a path and wraps its answer: `{ code, text }`. Never rejects. */
async function answer(path, params) {
  const handle = handlers.get(path) ?? (Object.hasOwn(BUILT_IN, path) ? BUILT_IN[path] : undefined);
  if (handle === undefined) {
    const body = { status: 'error', error: `No handler for path: ${path}`, available: paths() };
    return { code: 404, text: JSON.stringify(body) };
  }
  try {
    const data = await runHandler(handle, new Request(path, params));
    return { code: 200, text: JSON.stringify({ status: 'ok', data: data ?? null }) };
  } catch (thrown) {
    return failure(500, wordsOf(thrown));
  }
}

function runParams() {
  const params = new Map();
  for (const [name, value] of Object.entries(process.env)) {
    if (name.startsWith('QUERY_PARAM_') && value !== undefined) params.set(name.slice('QUERY_PARAM_'.length), value);
  }
  for (const [name, value] of jsonParams(process.env.QUERY_PARAMS ?? '')) params.set(name, value);
  return params;
}

/** Like answer(), with the parameters of the environment. */
async function answerRun(path) {
  let params;
  try {
    params = runParams();
  } catch (error) {
    return failure(400, `QUERY_PARAMS: ${error.message}`);
  }
  return answer(path, params);
}

/** Registers a function for a path such as `/status`. It gets a request and returns a value that JSON can hold. */
export function handler(path, handle) {
  if (typeof path !== 'string' || !path.startsWith('/')) throw new TypeError('a query path begins with /');
  if (typeof handle !== 'function') throw new TypeError(`the handler of ${path} must be a function`);
  handlers.set(path, handle);
}

/** The bot's configuration, an object. Throws like parse(). */
export function getConfig() {
  return parse().config;
}

/** The name of getConfig() that is the same in the SDKs of all languages. */
export { getConfig as get_config };

/** The parameters of the query that is answered now, as texts by name; none outside of a handler. */
export function getParams() {
  return currentRequest()?.params ?? {};
}

/** The name of getParams() that is the same in the SDKs of all languages. */
export { getParams as get_params };

/**
 * Whether this program was started to answer one query, and ends with it; false where it serves queries beside a bot, and in
 * the bot.
 */
export function isQueryMode() {
  return isQueryRun();
}

/** The error of a handler that writes state. */
export { ReadOnlyStateError } from './state.mjs';
/** The name of isQueryMode() that is the same in the SDKs of all languages. */
export { isQueryMode as is_query_mode };

/**
 * Answers the one query of a query run and ends the process (exit code 1 for an error), else serves queries until the
 * process is told to stop.
 */
export async function run() {
  const warm = !process.env.QUERY_PATH && isWaiting();
  const path = warm ? await receive() : process.env.QUERY_PATH;
  if (!path) {
    await serve(answer);
    return;
  }
  const { QUERY_RESULT_FILE } = process.env;
  if (!QUERY_RESULT_FILE) throw new Error('QUERY_RESULT_FILE is not set');
  const { code, text } = await answerRun(path);
  replaceFile(QUERY_RESULT_FILE, Buffer.from(text));
  if (warm) report('done');
  // A timer or a socket that a handler left open must not keep the caller waiting.
  process.exit(code === 200 ? 0 : 1);
}
