import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type Acquired, acquireEngine } from './suite-daemon.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test asks for the Docker engine of the run. */
    dockerPort: number;
  }
}

/** Hands the engine to every client, and starts it for the first: a run without Docker tests starts nothing. */
class Broker {
  readonly #server: Server;
  #acquired: Promise<Acquired> | null = null;

  constructor() {
    this.#server = createServer((socket) => {
      socket.on('error', () => undefined);
      this.#acquired ??= this.#acquire();
      this.#acquired.then(
        ({ engine }) => socket.end(JSON.stringify(engine)),
        (error) => socket.end(JSON.stringify({ failed: String(error) })),
      );
    });
  }

  async #acquire(): Promise<Acquired> {
    const acquired = await acquireEngine();
    const { engine } = acquired;
    console.log(
      'reason' in engine
        ? `Docker tests are skipped: ${engine.reason}.`
        : `Docker tests use ${engine.host}: ${engine.note}.`,
    );
    return acquired;
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  }

  async close(): Promise<void> {
    this.#server.close();
    const acquired = await this.#acquired?.catch(() => null);
    const left = (await acquired?.release()) ?? [];
    if (left.length > 0)
      throw new Error(
        `The tests of this run, or of one beside it, left these in the Docker engine:\n  ${left.join('\n  ')}`,
      );
  }
}

interface Shared {
  readonly broker: Broker;
  readonly port: Promise<number>;
  projects: number;
}
// Every project loads its own copy of this module.
const key = Symbol.for('bot-platform.test-docker');
const shared = globalThis as { [key]?: Shared };

export async function setup(project: TestProject): Promise<void> {
  let mine = shared[key];
  if (mine === undefined) {
    const broker = new Broker();
    mine = { broker, port: broker.listen(), projects: 0 };
    shared[key] = mine;
  }
  mine.projects += 1;
  project.provide('dockerPort', await mine.port);
}

export async function teardown(): Promise<void> {
  const mine = shared[key];
  if (mine === undefined) return;
  mine.projects -= 1;
  if (mine.projects > 0) return;
  delete shared[key];
  await mine.broker.close();
}
