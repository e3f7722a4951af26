/**
 * A minimal proxy between a client and a query server: node:http on both sides, kept connections, and nothing looked at. What a
 * query through the host costs beyond this is the host's own. Prints its port. Usage: node bench/support/bare-proxy.ts <host>
 * <port>
 */
import { Agent, createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

const [host, port] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

const server = createServer(async (incoming, response) => {
  const body = await buffer(incoming);
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-query-token': incoming.headers['x-query-token'],
  };
  const outgoing = request({ agent, host, port, method: 'POST', path: incoming.url, headers }, async (answer) => {
    const result = await buffer(answer);
    response.writeHead(answer.statusCode ?? 502, { 'content-length': result.length });
    response.end(result);
  });
  outgoing.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(address.port);
});
