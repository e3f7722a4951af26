import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { acquireEngine } from '../../test/support/docker/suite-daemon.ts';

/** The image that containers of a benchmark run. */
export const IMAGE = 'python:3.11-slim-bookworm';

/** A Docker engine for the time of a benchmark. */
export interface EngineOfBench {
  /** Where it listens. */
  readonly host: string;
  /** Output of the engine's own command line. */
  docker(...args: string[]): Promise<string>;
}

/** Does the work with the Docker engine of this machine, else with one that is started for it; null where neither is. */
export async function withEngine<T>(work: (engine: EngineOfBench | null) => Promise<T>): Promise<T> {
  const { engine, release } = await acquireEngine();
  try {
    if ('host' in engine) {
      const env = { ...process.env, DOCKER_HOST: engine.host };
      const docker = async (...args: string[]): Promise<string> =>
        (await promisify(execFile)('docker', args, { env, maxBuffer: 1 << 26 })).stdout.trim();
      return await work({ host: engine.host, docker });
    }
    console.log(`Without Docker: ${engine.reason}.`);
    return await work(null);
  } finally {
    const left = await release();
    if (left.length > 0) console.error(`Left in the Docker engine: ${left.join(', ')}`);
  }
}
