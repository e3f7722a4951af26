import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds } from './processes.ts';

export interface Load {
  readonly perSecond: number;
  /** Processor time of the server for one request, µs: steadier than rates on a machine that others use too. */
  readonly cpu: number;
  /** ms. */
  readonly p50: number;
  readonly p99: number;
}

export interface Posts {
  readonly url: string;
  /** Process of the server. */
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
  /** Core that the load is made on; any when left out. */
  readonly core?: number;
}

/** Sends the same POST again and again; throws when one fails. `dir` is for its script. Needs `wrk`. */
export function wrk(dir: string, posts: Posts): Load {
  const script = join(dir, 'post.lua');
  const lines = [
    'wrk.method = "POST"',
    `wrk.body = [==[${posts.body}]==]`,
    ...Object.entries(posts.headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`),
    'done = function(s, l, r) io.write(string.format("R %d %d %d %d %d\\n", s.requests, s.duration, l:percentile(50), l:percentile(99), s.errors.status + s.errors.read + s.errors.timeout)) end',
  ];
  writeFileSync(script, lines.join('\n'));
  const under = posts.core === undefined ? [] : ['taskset', '-c', String(posts.core)];
  const load = ['wrk', '-t1', `-c${posts.connections}`, `-d${posts.seconds}s`, '-s', script, posts.url];
  const [program = '', ...args] = [...under, ...load];
  const before = cpuSeconds(posts.pid);
  const text = execFileSync(program, args).toString();
  const cpu = (cpuSeconds(posts.pid) - before) * 1e6;
  const found = /R (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(text) ?? [];
  const [, requests = 0, micros = 1, p50 = 0, p99 = 0, errors = 0] = found.map(Number);
  if (errors > 0) throw new Error(`${errors} requests failed: ${text}`);
  return { perSecond: requests / (micros / 1e6), cpu: cpu / Math.max(1, requests), p50: p50 / 1000, p99: p99 / 1000 };
}
