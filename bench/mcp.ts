/**
 * The MCP endpoint side by side with a raw `node:http` server that echoes an answer of the same size, in the same run and
 * under the same load: rates on shared machines swing, the ratios do not. Also memory over 100,000 calls. Needs `wrk` and
 * a build (`npm run build`). Usage: node bench/mcp.ts [--quick] [--json FILE] [seconds=4] [rounds=3] [calls=100000]
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Bench } from './support/bench.ts';
import { median } from './support/figures.ts';
import { startHost } from './support/host.ts';
import { residentBytes } from './support/processes.ts';
import { call as ask, publishTiny } from './support/publish.ts';
import { type Load, wrk } from './support/wrk.ts';

const bench = new Bench({ seconds: [4, 1], rounds: [3, 1], calls: [100_000, 5000] });
const { seconds, rounds, calls } = bench.sizes;
const CONNECTIONS = 16;
/** The server has the first core, the load the second. */
const UNDER = ['taskset', '-c', '0'];
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The peer: answers JSON of the size that the endpoint answers with. */
async function echo(bytes: number): Promise<{ readonly url: string; readonly pid: number; end(): void }> {
  const [program = '', ...args] = [
    ...UNDER,
    process.execPath,
    join(import.meta.dirname, 'support/echo.ts'),
    String(bytes),
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise((done) => createInterface({ input: child.stdout }).once('line', done));
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, end: () => child.kill() };
}

const host = await startHost({ under: UNDER });
let peer: Awaited<ReturnType<typeof echo>> | null = null;
try {
  const { key } = (await ask(host, 'POST', '/api/v1/keys', { name: 'bench' })) as { key: string };
  const botId = await publishTiny(host.url, host.token);
  const call = { name: 'bot_get', arguments: { bot_id: botId } };
  const rpc = (params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const plain = { 'x-api-key': key, 'content-type': 'application/json' };
  const modern = {
    ...plain,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'bot_get',
  };
  const probe = await fetch(`${host.url}/mcp`, { method: 'POST', headers: plain, body: rpc(call) });
  const bytes = (await probe.text()).length;
  peer = await echo(bytes);
  const common = { connections: CONNECTIONS, core: 1 };
  const variants = [
    { name: 'echo', ...common, pid: peer.pid, url: `${peer.url}/`, headers: plain, body: rpc(call) },
    { name: 'bare', ...common, pid: host.pid, url: `${host.url}/mcp`, headers: plain, body: rpc(call) },
    {
      name: 'modern',
      ...common,
      pid: host.pid,
      url: `${host.url}/mcp`,
      headers: modern,
      body: rpc({ ...call, _meta: MODERN }),
    },
  ];
  const results = new Map<string, Load[]>(variants.map(({ name }) => [name, []]));
  for (const variant of variants) wrk(host.dataDir, { ...variant, seconds: 2 });
  bench.mark();
  for (let round = 0; round < rounds; round++) {
    for (const variant of variants) results.get(variant.name)?.push(wrk(host.dataDir, { ...variant, seconds }));
  }
  const middle = (name: string, what: keyof Load): number =>
    median((results.get(name) ?? []).map((load) => load[what]));
  const size = `answers of ${bytes} bytes, ${CONNECTIONS} connections, ${rounds} rounds of ${seconds} s`;
  for (const name of ['bare', 'modern']) {
    bench.row({
      row: `mcp-${name}`,
      title: `MCP tools/call, ${name} lane`,
      unit: 'calls/s',
      ours: middle(name, 'perSecond'),
      peer: { name: 'an echo by node:http', value: middle('echo', 'perSecond') },
      note:
        `processor time of a call ${middle(name, 'cpu').toFixed(0)} and ${middle('echo', 'cpu').toFixed(0)} µs, ` +
        `p99 ${middle(name, 'p99').toFixed(1)} and ${middle('echo', 'p99').toFixed(1)} ms; ${size}`,
    });
  }
  const [, bare] = variants;
  if (bare === undefined) throw new Error('no lane');
  const before = residentBytes(host.pid) / 1e6;
  let made = 0;
  while (made < calls) made += wrk(host.dataDir, { ...bare, seconds: 5 }).perSecond * 5;
  bench.row({
    row: 'mcp-memory',
    title: `Memory of the host after ${Math.round(made).toLocaleString('en-US')} further calls`,
    unit: 'MB',
    ours: residentBytes(host.pid) / 1e6,
    peer: { name: 'before', value: before },
  });
  bench.done();
} finally {
  peer?.end();
  await host.close();
}
