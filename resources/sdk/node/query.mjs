import { replaceFile } from './files.mjs';
import { startServing } from './mode.mjs';
import { parse } from './output.mjs';
import { serve } from './server.mjs';

const handlers = new Map();

/** What a handler gets: parameters are strings. */
class Request {
  #params;

  constructor(path, params) {
    this.path = path;
    this.#params = params;
  }

  /** A parameter, or `fallback` (null unless given). */
  get(name, fallback = null) {
    return this.#params.get(name) ?? fallback;
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

/** Runs the handler of a path and wraps its answer: `{ code, body }`. Never rejects. */
async function answer(path, params) {
  const handle = handlers.get(path) ?? (Object.hasOwn(BUILT_IN, path) ? BUILT_IN[path] : undefined);
  if (handle === undefined) {
    return { code: 404, body: { status: 'error', error: `No handler for path: ${path}`, available: paths() } };
  }
  try {
    const data = await handle(new Request(path, params));
    const text = JSON.stringify({ status: 'ok', data: data ?? null });
    return { code: 200, body: JSON.parse(text) };
  } catch (error) {
    return { code: 500, body: { status: 'error', error: error instanceof Error ? error.message : String(error) } };
  }
}

const asText = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

function runParams() {
  const params = new Map();
  for (const [name, value] of Object.entries(process.env)) {
    if (name.startsWith('QUERY_PARAM_') && value !== undefined) params.set(name.slice('QUERY_PARAM_'.length), value);
  }
  const all = JSON.parse(process.env.QUERY_PARAMS || '{}');
  for (const [name, value] of Object.entries(all)) params.set(name, asText(value));
  return params;
}

/** Registers a function for a path such as `/status`. It gets a request and returns a value that JSON can hold. */
export function handler(path, handle) {
  if (typeof path !== 'string' || !path.startsWith('/')) throw new TypeError('a query path begins with /');
  handlers.set(path, handle);
}

/** The bot's configuration. */
export function get_config() {
  return parse().config;
}

/** Answers the one query of a query run, else serves queries until the process is told to stop. */
export async function run() {
  const { QUERY_PATH, QUERY_RESULT_FILE } = process.env;
  startServing();
  if (QUERY_PATH) {
    const { code, body } = await answer(QUERY_PATH, runParams());
    if (!QUERY_RESULT_FILE) throw new Error('QUERY_RESULT_FILE is not set');
    replaceFile(QUERY_RESULT_FILE, JSON.stringify(body));
    if (code !== 200) process.exitCode = 1;
    return;
  }
  await serve(answer);
}
