import { createServer } from 'node:http';
import { refusal } from './guard.mjs';
import { jsonParams } from './params.mjs';

const BODY_BYTES = 64 * 1024;
const DEFAULT_PORT = 9476;
const SLOW_MS = 10_000;

/** The body as text. One that is too large is read to its end, but not kept, so that its sender hears the answer. */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= BODY_BYTES) chunks.push(chunk);
  }
  if (size > BODY_BYTES) throw new RangeError(`the body is larger than ${BODY_BYTES} bytes`);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response, code, text) {
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Path and parameters of a request: those of the address, then those of the JSON body, which win. */
async function read(request) {
  const { method, url } = request;
  if (method !== 'GET' && method !== 'POST') throw new TypeError(`send GET or POST, not ${method}`);
  if (!url.startsWith('/')) throw new TypeError('the address must be a path');
  const { pathname, searchParams } = new URL(`http://bot${url}`);
  const params = new Map(searchParams);
  const text = await readBody(request);
  try {
    for (const [name, value] of jsonParams(text)) params.set(name, value);
  } catch (error) {
    throw new TypeError(`the body cannot be used: ${error.message}`);
  }
  return { path: decodeURIComponent(pathname), params };
}

async function respond(request, response, answer) {
  const refused = refusal(request);
  if (refused !== null) {
    // Node reads the rest of the request, for no longer than a request may take.
    send(response, refused.code, JSON.stringify({ status: 'error', error: refused.error }));
    return;
  }
  let asked;
  try {
    asked = await read(request);
  } catch (error) {
    send(response, 400, JSON.stringify({ status: 'error', error: `Bad request: ${error.message}` }));
    return;
  }
  const { code, text } = await answer(asked.path, asked.params);
  send(response, code, text);
}

/** Ends serving on SIGTERM and SIGINT, and the process with exit code 0 unless the bot handles the signal itself. */
function stopOnSignals(server) {
  for (const name of ['SIGTERM', 'SIGINT']) {
    const stop = () => {
      server.close();
      server.closeAllConnections();
      if (process.listenerCount(name) === 1) process.exit(0);
    };
    // First in the list: after the bot's own `once` listener, the count below would miss that listener.
    process.prependListener(name, stop);
    server.once('close', () => process.removeListener(name, stop));
  }
}

/** Serves queries on QUERY_PORT of this machine (in a container: PLATFORM_QUERY_BIND) until SIGTERM. */
export async function serve(answer) {
  const { QUERY_PORT, PLATFORM_QUERY_PORT, PLATFORM_QUERY_BIND } = process.env;
  const port = Number(QUERY_PORT || PLATFORM_QUERY_PORT || DEFAULT_PORT);
  const limits = { requestTimeout: SLOW_MS, headersTimeout: SLOW_MS, connectionsCheckingInterval: SLOW_MS / 2 };
  // A request without a Host is refused like one with a foreign Host.
  const server = createServer({ ...limits, requireHostHeader: false }, (request, response) => {
    respond(request, response, answer).catch((error) => response.destroy(error));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, PLATFORM_QUERY_BIND || '127.0.0.1', resolve);
  });
  const stopped = new Promise((resolve) => server.once('close', resolve));
  stopOnSignals(server);
  await stopped;
}
