import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type Docker from 'dockerode';
import { afterAll } from 'vitest';
import { importImages } from '../../../scripts/test-images.ts';
import { addBridge, removeBridge } from './bridge.ts';
import { Dockerd, discard } from './dockerd.ts';
import { PRIVATE_PREFIX, privateFolders } from './suite-daemon.ts';

/** What a test may say about its daemon. */
export interface DaemonOptions {
  /** Containers go on while the daemon is away. */
  readonly liveRestore?: boolean;
  /** Imported with the first start; each costs about a second. */
  readonly images?: readonly string[];
  readonly flags?: readonly string[];
}

/** The packet filter belongs to the daemon of the suite. */
const APART = ['--iptables=false', '--ip-forward=false', '--ip-masq=false', '--userland-proxy=false'];

const made: Daemon[] = [];
afterAll(async () => {
  for (const daemon of made.splice(0)) await daemon.stop();
});

/**
 * A daemon of a single test, for killing and restarting it. Only where `dockerForTests()` starts its own engine, see
 * `whyNoDaemon()`. It is removed when the tests of the file are done, and by a later run when the test was killed.
 */
export class Daemon {
  readonly #dockerd: Dockerd;
  readonly #images: readonly string[];
  readonly #folder: string;
  #gone = false;

  constructor(options: DaemonOptions = {}) {
    const { liveRestore = false, images = ['debian:trixie-slim'], flags = [] } = options;
    const dir = mkdtempSync(join(tmpdir(), `${PRIVATE_PREFIX}${process.pid}-`));
    // A machine's containerd that already runs is used by every daemon: this keeps them apart there.
    const namespace = [
      '--containerd-namespace',
      basename(dir),
      '--containerd-plugins-namespace',
      `${basename(dir)}-plugins`,
    ];
    const live = liveRestore ? ['--live-restore'] : [];
    this.#folder = dir;
    const bridge = ['--bridge', addBridge(dir)];
    this.#dockerd = new Dockerd(privateFolders(dir), [...APART, ...bridge, ...namespace, ...live, ...flags]);
    this.#images = images;
    made.push(this);
  }

  get host(): string {
    return this.#dockerd.host;
  }

  get docker(): Docker {
    return this.#dockerd.docker;
  }

  /** The process id of the daemon; null while it does not run. */
  get pid(): number | null {
    return this.#dockerd.pid();
  }

  /** The end of what the daemon wrote. */
  get log(): string {
    return this.#dockerd.log();
  }

  /** Resolves when it answers and has its images. */
  async start(): Promise<void> {
    await this.#dockerd.start();
    await importImages(this.docker, this.#images, true);
  }

  /** Resolves when the process is gone. Containers live on after SIGKILL, and with `liveRestore` after any signal. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.#dockerd.kill(signal);
  }

  async restart(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.kill(signal);
    await this.start();
  }

  /** Ends it for good with all that it had. */
  async stop(): Promise<void> {
    if (this.#gone) return;
    this.#gone = true;
    await this.#dockerd.remove();
    removeBridge(this.#folder);
    discard(this.#folder);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
