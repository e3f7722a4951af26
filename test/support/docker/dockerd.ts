import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { dockerAt } from '../../../scripts/test-images.ts';
import { until } from '../until.ts';
import { processesNaming, unmountBelow } from './traces.ts';

export const DOCKERD = '/usr/sbin/dockerd';
const START_MS = 60_000;

/** Where a daemon keeps what it has. */
export interface DaemonFolders {
  /** Socket, pid file, log, and what lives as long as containers run. */
  readonly run: string;
  /** Images and containers. */
  readonly data: string;
}

/** A `dockerd` with folders of its own, so that it meets no other daemon of the machine. */
export class Dockerd {
  readonly folders: DaemonFolders;
  readonly host: string;
  readonly docker: Docker;
  readonly #flags: readonly string[];
  readonly #command: readonly string[];
  #child: ChildProcess | null = null;

  /** `apart`: in a network of its own, where it meets no other daemon of the machine. */
  constructor(folders: DaemonFolders, flags: readonly string[], apart = false) {
    this.folders = folders;
    this.host = `unix://${join(folders.run, 'docker.sock')}`;
    this.docker = dockerAt(this.host);
    this.#flags = flags;
    this.#command = apart ? ['unshare', '--net', DOCKERD] : [DOCKERD];
  }

  get #exec(): string {
    return join(this.folders.run, 'exec');
  }

  /** The process id of the daemon; null while none runs, whoever started it. */
  pid(): number | null {
    const own = processesNaming(this.#exec).find((one) => one.name === 'dockerd');
    return own?.pid ?? null;
  }

  /** Starts it and waits until it answers. What an earlier one with these folders left is taken over. */
  async start(): Promise<void> {
    const { run, data } = this.folders;
    for (const dir of [run, data]) mkdirSync(dir, { recursive: true, mode: 0o700 });
    // The number in the file of a killed daemon may belong to another process by now, and dockerd would not start then.
    rmSync(join(run, 'docker.pid'), { force: true });
    // Likewise for its containerd, which a killed daemon takes with it: dockerd would wait for one that nobody has reaped.
    const isThere = processesNaming(this.#exec).some(({ name }) => name === 'containerd');
    if (!isThere) rmSync(join(this.#exec, 'containerd/containerd.pid'), { force: true });
    writeFileSync(join(run, 'daemon.json'), '{}');
    const log = openSync(join(run, 'dockerd.log'), 'a');
    const own = ['--config-file', join(run, 'daemon.json'), '--pidfile', join(run, 'docker.pid'), '--host', this.host];
    const places = ['--data-root', data, '--exec-root', this.#exec, '--log-level', 'warn'];
    const [program = DOCKERD, ...before] = this.#command;
    // Detached: Ctrl-C is for the tests, which stop the daemon when they have cleaned up.
    const child = spawn(program, [...before, ...own, ...places, ...this.#flags], {
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child = child;
    await once(child, 'spawn');
    child.unref();
    await until('dockerd to answer', () => this.#answers(child), START_MS);
  }

  async #answers(child: ChildProcess): Promise<boolean> {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`dockerd ended.\n${this.log()}`);
    return this.answers();
  }

  async answers(): Promise<boolean> {
    return this.docker.ping().then(
      () => true,
      () => false,
    );
  }

  /** The end of what it wrote. */
  log(): string {
    const file = join(this.folders.run, 'dockerd.log');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(-15).join('\n') : '';
  }

  /** Sends a signal and waits until the daemon is gone; containers may live on. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const pid = this.pid();
    if (pid === null) return;
    process.kill(pid, signal);
    await until(`dockerd to end after ${signal}`, () => this.pid() === null, START_MS);
    if (this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null) {
      await once(this.#child, 'exit');
    }
    this.#child = null;
  }

  /** Removes all containers, volumes and networks, and the images that `keep` does not name. */
  async empty(keep: readonly string[]): Promise<void> {
    const { docker } = this;
    const containers = await docker.listContainers({ all: true });
    await Promise.all(containers.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
    const networks = (await docker.listNetworks()).filter(({ Name }) => !['bridge', 'host', 'none'].includes(Name));
    for (const { Id } of networks) await docker.getNetwork(Id).remove();
    const { Volumes } = await docker.listVolumes();
    for (const { Name } of Volumes ?? []) await docker.getVolume(Name).remove({ force: true });
    for (const image of await docker.listImages()) {
      const names = image.RepoTags?.filter((name) => name !== '<none>:<none>') ?? [];
      for (const name of names.filter((each) => !keep.includes(each)))
        await docker.getImage(name).remove({ force: true });
      if (names.length === 0) await docker.getImage(image.Id).remove({ force: true });
    }
  }

  /** Ends whatever still runs below its folders, unmounts it, and removes `run`, and `data` too with `all`. */
  async remove(all: boolean): Promise<void> {
    await this.kill('SIGTERM');
    await scrub(this.folders, all);
  }
}

/** Ends and removes what daemons with these folders left, however they ended. */
export async function scrub({ run, data }: DaemonFolders, all: boolean): Promise<void> {
  const left = () => processesNaming(run).filter(({ pid }) => pid !== process.pid);
  for (const { pid } of left()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended by itself.
    }
  }
  await until('the processes of the daemon to end', () => left().length === 0);
  const folders = all ? [run, data] : [run];
  for (const dir of [run, data]) unmountBelow(dir);
  for (const dir of folders) rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
