import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

const OUT = resolve(import.meta.dirname, '../../out/main');

/**
 * Starts a worker from the built host, even in a test that runs everything else from source, because loading the source
 * in each worker costs four times as much.
 */
export function builtWorker(url: URL, options: WorkerOptions): Worker {
  const file = resolve(OUT, basename(url.pathname).replace(/\.ts$/, '.js'));
  if (!existsSync(file)) throw new Error(`${file} is missing: npm run build`);
  return new Worker(file, options);
}
