/**
 * Reads a JSON body and answers JSON of the given size, by node:http alone. Prints its port.
 * Usage: node bench/support/echo.ts BYTES
 */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const filler = 'x'.repeat(Math.max(0, Number(process.argv[2] ?? '900') - 60));
const server = createServer(async (request, response) => {
  const body = await json(request);
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  const text = JSON.stringify({ jsonrpc: '2.0', id, result: { text: filler } });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(address.port);
});
