import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { HostOfBench } from './publish.ts';
import { tempFolder } from './temp.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

/** A host of one benchmark, on a folder of its own, as people run it: the built program. */
export interface StartedHost extends HostOfBench {
  readonly pid: number;
  readonly dataDir: string;
  /** From its start to its message that it is ready, ms. */
  readonly readyMs: number;
  /** Ends it as Ctrl-C does, with its bots; the folder stays. */
  stop(): Promise<void>;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

export interface HostOptions {
  /** A folder that is there already; else a fresh one. */
  readonly dataDir?: string;
  readonly engine?: 'process' | 'docker';
  readonly dockerHost?: string;
  readonly flags?: readonly string[];
  /** In front of its command line, e.g. `taskset`. */
  readonly under?: readonly string[];
  /** Folder for processor profiles of the host and its workers. */
  readonly profile?: string;
}

/** Starts a host with no effective rate limit, on any free port. Needs a build (`npm run build`). */
export async function startHost(options: HostOptions = {}): Promise<StartedHost> {
  const dataDir = options.dataDir ?? tempFolder('host');
  const docker = options.dockerHost === undefined ? [] : ['--docker-host', options.dockerHost];
  const own = ['--data', dataDir, '--port', '0', '--rate-limit', '1000000', '--engine', options.engine ?? 'process'];
  const keys = ['--key-folder', tempFolder('keys')];
  const profile = options.profile ?? process.env.BENCH_PROFILE;
  const node = [process.execPath, ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`])];
  const args = [join(ROOT, 'out/main/serve.js'), ...own, ...keys, ...docker, ...(options.flags ?? [])];
  const [program = process.execPath, ...rest] = [...(options.under ?? []), ...node, ...args];
  const begun = performance.now();
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done) => child.once('exit', done));
  const line = await new Promise<string>((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code) => fail(new Error(`the host ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout }).once('line', done);
  });
  const readyMs = performance.now() - begun;
  const { url }: { url: string } = JSON.parse(line);
  const { token, pid }: { token: string; pid: number } = JSON.parse(readFileSync(join(dataDir, 'host.json'), 'utf8'));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  const close = async (): Promise<void> => {
    await stop();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return { url, token, pid, dataDir, readyMs, stop, close };
}
