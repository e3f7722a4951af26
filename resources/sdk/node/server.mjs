import { createServer } from 'node:http';

const BODY_BYTES = 64 * 1024;
const DEFAULT_PORT = 9476;
const SLOW_MS = 10_000;

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_BYTES) throw new RangeError(`the body is larger than ${BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response, code, body) {
  const text = JSON.stringify(body);
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Parameters of the address, then of the JSON body, which wins. */
function mergeParams(query, text) {
  const params = new Map(query);
  if (text.trim() === '') return params;
  const body = JSON.parse(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new TypeError('the body is no JSON object');
  for (const [name, value] of Object.entries(body)) {
    params.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return params;
}

async function respond(request, response, answer) {
  let path;
  let params;
  try {
    const url = new URL(`http://bot${request.url?.startsWith('/') ? request.url : '/'}`);
    path = decodeURIComponent(url.pathname);
    params = mergeParams(url.searchParams, await readBody(request));
  } catch (error) {
    send(response, 400, { status: 'error', error: `Bad request: ${error.message}` });
    return;
  }
  const { code, body } = await answer(path, params);
  send(response, code, body);
}

/** Serves queries on QUERY_PORT of this machine (in a container: PLATFORM_QUERY_BIND) until SIGTERM. */
export async function serve(answer) {
  const { QUERY_PORT, PLATFORM_QUERY_PORT, PLATFORM_QUERY_BIND } = process.env;
  const port = Number(QUERY_PORT || PLATFORM_QUERY_PORT || DEFAULT_PORT);
  const server = createServer({ requestTimeout: SLOW_MS, headersTimeout: SLOW_MS }, (request, response) => {
    respond(request, response, answer).catch((error) => response.destroy(error));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, PLATFORM_QUERY_BIND || '127.0.0.1', resolve);
  });
  const stopped = new Promise((resolve) => server.once('close', resolve));
  for (const name of ['SIGTERM', 'SIGINT']) {
    process.once(name, () => {
      server.close();
      server.closeAllConnections();
    });
  }
  await stopped;
}
