import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { parseHostFlags } from '../../src/main/host/compose/flags.ts';
import { type RunningHost, startHost } from '../../src/main/host/compose/host.ts';
import type { HostParts } from '../../src/main/host/compose/host-part-overrides.ts';
import type { Engine } from '../../src/main/host/engine/engine.ts';
import { builtWorker } from './built-worker.ts';
import { HeldEngine } from './held-engine.ts';
import { ONCE } from './platform.ts';
import { tempDir } from './temp.ts';

/** A host within the test, with the engine for local processes and a second one that the test holds. */
export class HostHere {
  readonly dataDir: string;
  #engine: HeldEngine | undefined;
  #host: RunningHost | undefined;

  constructor(dataDir = tempDir('platform-here-')) {
    this.dataDir = dataDir;
  }

  get engine(): HeldEngine {
    if (this.#engine === undefined) throw new Error('the host was not started');
    return this.#engine;
  }

  get url(): string {
    if (this.#host === undefined) throw new Error('the host was not started');
    return this.#host.url;
  }

  /** `change` sees the engine before the host does; a `setting` of null leaves the flag out. */
  async start(
    setting: string | null = 'process',
    change: (engine: HeldEngine) => void = () => undefined,
    parts: HostParts = {},
  ): Promise<this> {
    const flags = parseHostFlags(
      ['--data', this.dataDir, '--port', '0', ...(setting === null ? [] : ['--engine', setting])],
      { PLATFORM_KEY_FOLDER: process.env.PLATFORM_KEY_FOLDER },
    );
    const engines = (real: Engine): readonly Engine[] => {
      this.#engine = new HeldEngine(real);
      change(this.#engine);
      return [this.#engine, real];
    };
    // Requests do not wait for what only the test lets happen.
    this.#host = await startHost(flags, { engines, patienceMs: 100, startWorker: builtWorker, ...parts });
    return this;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    if (this.#host === undefined) throw new Error('the host was not started');
    const { token } = JSON.parse(readFileSync(join(this.dataDir, 'host.json'), 'utf8'));
    const auth = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return fetch(`${this.#host.url}${path}`, { ...init, headers: { ...ONCE, ...auth, ...init.headers } });
  }

  /** Ends the host; bots are ended too unless they are left for the next start. */
  async stop(leave = false): Promise<void> {
    await this.#host?.stop({ leave });
    this.#host = undefined;
  }
}

/** A host that is stopped, with its bots, when the test ends. */
export async function hostHere(
  onTestFinished: TestContext['onTestFinished'],
  ...start: Parameters<HostHere['start']>
): Promise<HostHere> {
  const host = new HostHere();
  onTestFinished(() => host.stop(), 180_000);
  return host.start(...start);
}
