/**
 * A minimal server that shows a growing file to many readers: every 50 ms it sends what is new, as one text for all, over
 * WebSockets. No storage, no masking, no log-in. Prints its port. Usage: node bench/support/fan-out.ts FILE
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { WebSocketServer } from 'ws';

const [file = ''] = process.argv.slice(2);
const fd = openSync(file, 'r');
const bytes = Buffer.alloc(1 << 20);
let offset = 0;
let rest = '';
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.once('listening', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(address.port);
});
const timer = setInterval(() => {
  const length = readSync(fd, bytes, 0, bytes.length, offset);
  offset += length;
  const lines = (rest + bytes.toString('utf8', 0, length)).split('\n');
  rest = lines.pop() ?? '';
  if (lines.length === 0) return;
  const text = JSON.stringify({ lines });
  for (const client of server.clients) client.send(text);
}, 50);
process.once('SIGTERM', () => {
  clearInterval(timer);
  closeSync(fd);
  for (const client of server.clients) client.terminate();
  server.close();
});
