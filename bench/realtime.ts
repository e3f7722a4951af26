/**
 * Queries to a running bot through the host beside the same question through a proxy that looks at nothing, and put to
 * the bot itself, at 1, 16 and 64 clients, in turn. Bots are local processes here; bench/docker.ts asks one in a container.
 * Needs `wrk` and a build (`npm run build`). Usage: node bench/realtime.ts [--quick] [--json FILE] [seconds=4] [rounds=3]
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { Bench } from './support/bench.ts';
import { median } from './support/figures.ts';
import { startHost } from './support/host.ts';
import { startedWith } from './support/processes.ts';
import { deployOneFile, logPage } from './support/publish.ts';
import { type Load, wrk } from './support/wrk.ts';

const bench = new Bench({ seconds: [4, 2], rounds: [3, 1] });
const { seconds, rounds } = bench.sizes;

const BOT = "console.log('port ' + process.env.QUERY_PORT + ' of ' + process.pid);\nsetInterval(() => {}, 60_000);\n";
const HANDLER = `import { query } from '@bot-platform/sdk';
console.log('port ' + process.env.QUERY_PORT + ' of ' + process.pid);
query.handler('/status', () => ({ ok: true, positions: [{ symbol: 'SPY', shares: 10 }] }));
query.run();
`;

async function fromLog(host: Parameters<typeof logPage>[0], bot: string): Promise<{ port: number; pid: number }> {
  for (;;) {
    const { entries } = await logPage(host, bot, 'limit=100&source=query');
    const found = entries.map((one) => /^port (\d+) of (\d+)$/.exec(one.message)).find((one) => one !== null);
    if (found !== undefined && found !== null) return { port: Number(found[1]), pid: Number(found[2]) };
    await wait(50);
  }
}

const host = await startHost();
try {
  const bot = await deployOneFile(host, {
    name: 'asked',
    entry: 'bot.mjs',
    source: BOT,
    query: ['query.mjs', HANDLER],
  });
  const { port, pid } = await fromLog(host, bot);
  const args = [join(import.meta.dirname, 'support/bare-proxy.ts'), '127.0.0.1', String(port)];
  const proxy = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const proxyPort = await new Promise((done) => createInterface({ input: proxy.stdout }).once('line', done));
    const json = { 'content-type': 'application/json' };
    const owner = { ...json, authorization: `Bearer ${host.token}` };
    const withToken = { ...json, 'x-query-token': startedWith(pid, 'QUERY_TOKEN') };
    const ways = {
      direct: { url: `http://127.0.0.1:${port}/status`, pid, headers: withToken, body: '{}' },
      proxy: { url: `http://127.0.0.1:${proxyPort}/status`, pid: proxy.pid ?? 0, headers: withToken, body: '{}' },
      host: { url: `${host.url}/bot/${bot}/query`, pid: host.pid, headers: owner, body: '{"path":"/status"}' },
    };
    const names = ['direct', 'proxy', 'host'] as const;
    for (const name of names) wrk(host.dataDir, { ...ways[name], connections: 16, seconds: 1 });
    for (const connections of [1, 16, 64]) {
      const loads: Record<(typeof names)[number], Load[]> = { direct: [], proxy: [], host: [] };
      bench.mark();
      for (let round = 0; round < rounds; round += 1) {
        for (const name of names) loads[name].push(wrk(host.dataDir, { ...ways[name], connections, seconds }));
      }
      const middle = (name: (typeof names)[number], what: keyof Load): number =>
        median(loads[name].map((one) => one[what]));
      const clients = `${connections} ${connections === 1 ? 'client' : 'clients'}`;
      const bounds = [{ of: 'ratio', most: 1.1 }] as const;
      bench.row({
        row: `realtime-${connections}`,
        title: `Query to a running bot, ${clients}, p50`,
        unit: 'ms',
        ours: middle('host', 'p50'),
        peer: { name: 'a bare node proxy', value: middle('proxy', 'p50') },
        bounds,
        note:
          `p99 ${middle('host', 'p99').toFixed(1)} and ${middle('proxy', 'p99').toFixed(1)} ms, ` +
          `${middle('host', 'perSecond').toFixed(0)} and ${middle('proxy', 'perSecond').toFixed(0)} a second; ` +
          `the bare handler ${middle('direct', 'p50').toFixed(2)} ms, ${middle('direct', 'perSecond').toFixed(0)} a second`,
      });
      bench.row({
        row: `realtime-${connections}-cpu`,
        title: `Query to a running bot, ${clients}, processor time`,
        unit: 'µs',
        ours: middle('host', 'cpu'),
        peer: { name: 'a bare node proxy', value: middle('proxy', 'cpu') },
        bounds,
      });
    }
  } finally {
    proxy.kill();
  }
  bench.done();
} finally {
  await host.close();
}
