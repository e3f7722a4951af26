/**
 * The MCP endpoint side by side with a raw `node:http` server that echoes an answer of the same size, in the same run and
 * under the same load: rates on shared machines swing, the ratios do not. Also memory over 100,000 calls. Needs `wrk` and
 * a build (`npm run build`). Usage: node bench/mcp.ts [seconds per round, default 4] [rounds, default 3]
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { publishTiny } from './publish.ts';

const [seconds = '4', rounds = '3', role, size = '900'] = process.argv.slice(2);
const CONNECTIONS = 16;
const ROOT = resolve(import.meta.dirname, '..');
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The peer: reads the body, parses it, answers JSON of the size that the endpoint answers with. */
function echo(bytes: number): void {
  const filler = 'x'.repeat(Math.max(0, bytes - 60));
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const text = JSON.stringify({ jsonrpc: '2.0', id, result: { text: filler } });
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    console.log(JSON.stringify({ url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }));
  });
}

interface Server {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Starts a server on the first core; the load runs on the second. */
function start(args: string[]): Promise<Server> {
  const child = spawn('taskset', ['-c', '0', process.execPath, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((done, fail) => {
    child.once('error', fail);
    if (child.stdout === null) throw new Error('no stdout');
    createInterface({ input: child.stdout }).once('line', (line) => done({ child, url: JSON.parse(line).url }));
  });
}

interface Load {
  readonly perSecond: number;
  /** Processor time of the server for one request, microseconds: steadier than rates on a machine that others use too. */
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
}

/** Processor time that a process has taken, microseconds. */
function cpuOf(child: ChildProcess): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function wrk(
  dir: string,
  { child }: Server,
  url: string,
  headers: Record<string, string>,
  body: string,
  time: string,
): Load {
  const script = join(dir, 'post.lua');
  const lines = [
    'wrk.method = "POST"',
    `wrk.body = [==[${body}]==]`,
    ...Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`),
    'done = function(s, l, r) io.write(string.format("R %d %d %d %d %d\\n", s.requests, s.duration, l:percentile(50), l:percentile(99), s.errors.status + s.errors.read + s.errors.timeout)) end',
  ];
  writeFileSync(script, lines.join('\n'));
  const args = ['-c', '1', 'wrk', '-t1', `-c${CONNECTIONS}`, `-d${time}s`, '-s', script, url];
  const before = cpuOf(child);
  const text = execFileSync('taskset', args).toString();
  const cpu = cpuOf(child) - before;
  const [, requests = 0, micros = 1, p50 = 0, p99 = 0, errors = 0] = (
    /R (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(text) ?? []
  ).map(Number);
  if (errors > 0) throw new Error(`${errors} requests failed: ${text}`);
  return { perSecond: requests / (micros / 1e6), cpu: cpu / Math.max(1, requests), p50: p50 / 1000, p99: p99 / 1000 };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const rssMb = (child: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-mcp-'));
  const host = await start([
    join(ROOT, 'out/main/serve.js'),
    '--data',
    join(dir, 'data'),
    '--port',
    '0',
    '--rate-limit',
    '1000000',
    '--engine',
    'process',
  ]);
  const { token } = JSON.parse(readFileSync(join(dir, 'data/host.json'), 'utf8'));
  const owner = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = async (path: string, body: unknown) =>
    (await fetch(`${host.url}${path}`, { method: 'POST', headers: owner, body: JSON.stringify(body) })).json();
  const { key } = (await post('/api/v1/keys', { name: 'bench' })) as { key: string };
  const botId = await publishTiny(host.url, token);
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
  const peer = await start([import.meta.filename, seconds, rounds, 'echo', String(bytes)]);
  const variants = [
    { name: 'raw node:http echo', server: peer, url: `${peer.url}/`, headers: plain, body: rpc(call) },
    { name: 'bare lane', server: host, url: `${host.url}/mcp`, headers: plain, body: rpc(call) },
    {
      name: 'modern lane',
      server: host,
      url: `${host.url}/mcp`,
      headers: modern,
      body: rpc({ ...call, _meta: MODERN }),
    },
  ];
  const results = new Map<string, Load[]>(variants.map(({ name }) => [name, []]));
  for (const { server, url, headers, body } of variants) wrk(dir, server, url, headers, body, '2');
  for (let round = 0; round < Number(rounds); round++) {
    for (const { name, server, url, headers, body } of variants) {
      results.get(name)?.push(wrk(dir, server, url, headers, body, seconds));
    }
  }
  const rate = (name: string): number => median((results.get(name) ?? []).map((load) => load.perSecond));
  const base = rate('raw node:http echo');
  const cpuBase = median((results.get('raw node:http echo') ?? []).map((load) => load.cpu));
  console.log(
    `tools/call bot_get, answers of ${bytes} bytes, ${CONNECTIONS} connections, ${rounds} rounds of ${seconds} s`,
  );
  for (const { name } of variants) {
    const loads = results.get(name) ?? [];
    const cpu = median(loads.map((load) => load.cpu));
    const cpuRatio = (cpuBase / cpu).toFixed(3);
    const p50 = median(loads.map((load) => load.p50)).toFixed(2);
    const p99 = median(loads.map((load) => load.p99)).toFixed(2);
    console.log(
      `${name.padEnd(20)} ${rate(name).toFixed(0).padStart(7)}/s  ${(rate(name) / base).toFixed(3)}x  cpu ${cpu.toFixed(1)} us (${cpuRatio}x)  p50 ${p50} ms  p99 ${p99} ms`,
    );
  }
  const before = rssMb(host.child);
  let calls = 0;
  while (calls < 100_000) calls += wrk(dir, host, `${host.url}/mcp`, plain, rpc(call), '5').perSecond * 5;
  console.log(
    `memory: ${before.toFixed(0)} MB before, ${rssMb(host.child).toFixed(0)} MB after ${Math.round(calls)} further calls`,
  );
  for (const { child } of [host, peer]) child.kill();
  rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

if (role === 'echo') echo(Number(size));
else await main();
