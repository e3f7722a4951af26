import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { dockerAt } from '../../../scripts/test-images.ts';
import { until } from '../until.ts';
import { containerProcesses, processesNaming, unmountBelow } from './traces.ts';

/** From Debian's docker.io or Docker's own packages; null where there is none. */
export const DOCKERD =
  ['/usr/sbin/dockerd', '/usr/bin/dockerd', '/usr/local/bin/dockerd'].find((path) => existsSync(path)) ?? null;
const START_MS = 60_000;
const FLAGS = 'flags.json';

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}

/** Folders of a daemon. */
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
  #child: ChildProcess | null = null;

  constructor(folders: DaemonFolders, flags: readonly string[]) {
    this.folders = folders;
    this.host = `unix://${join(folders.run, 'docker.sock')}`;
    this.docker = dockerAt(this.host);
    this.#flags = flags;
  }

  /** The daemon of a killed process, with these folders; null where none was started. */
  static leftIn(folders: DaemonFolders): Dockerd | null {
    const file = join(folders.run, FLAGS);
    return existsSync(file) ? new Dockerd(folders, JSON.parse(readFileSync(file, 'utf8'))) : null;
  }

  get #exec(): string {
    return join(this.folders.run, 'exec');
  }

  /** The process id of the daemon, started by any run; null without one. */
  pid(): number | null {
    const own = processesNaming(this.#exec).find((one) => one.name === 'dockerd');
    return own?.pid ?? null;
  }

  /** Starts it and waits until it answers. What an earlier one with these folders left is taken over. */
  async start(): Promise<void> {
    if (DOCKERD === null) throw new Error('There is no dockerd on this machine.');
    const { run, data } = this.folders;
    for (const dir of [run, data]) mkdirSync(dir, { recursive: true, mode: 0o700 });
    if (this.pid() === null) await this.#endContainerd();
    // The number in the file of a killed daemon may belong to another process by now, and dockerd would not start then.
    rmSync(join(run, 'docker.pid'), { force: true });
    writeFileSync(join(run, 'daemon.json'), '{}');
    writeFileSync(join(run, FLAGS), JSON.stringify(this.#flags));
    const log = openSync(join(run, 'dockerd.log'), 'a');
    const own = ['--config-file', join(run, 'daemon.json'), '--pidfile', join(run, 'docker.pid'), '--host', this.host];
    const places = ['--data-root', data, '--exec-root', this.#exec, '--log-level', 'warn'];
    // Detached: Ctrl-C is for the tests, which stop the daemon when they have cleaned up.
    const child = spawn(DOCKERD, [...own, ...places, ...this.#flags], { detached: true, stdio: ['ignore', log, log] });
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
  async kill(how: NodeJS.Signals): Promise<void> {
    const pid = this.pid();
    if (pid === null) return;
    process.kill(pid, how);
    await until(`dockerd to end after ${how}`, () => this.pid() === null, START_MS);
    if (this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null) {
      await once(this.#child, 'exit');
    }
    this.#child = null;
    await this.#endContainerd();
  }

  /** The containerd of a killed daemon is killed by the kernel, or was never told; the next daemon brings its own. */
  async #endContainerd(): Promise<void> {
    const left = () => processesNaming(this.#exec).filter(({ name }) => name === 'containerd');
    for (const { pid } of left()) signal(pid);
    await until('containerd to end', () => left().length === 0);
    // Until it is reaped, its pid looks alive to a new daemon, which would wait for it in vain.
    rmSync(join(this.#exec, 'containerd/containerd.pid'), { force: true });
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

  /**
   * Stops it with all that runs in it. Emptied first, where it can be: a container that ignores the request to end would
   * hold the stop for ten seconds.
   */
  async stop(keep: readonly string[]): Promise<void> {
    if (await this.answers()) await this.empty(keep).catch((error) => console.error(error));
    await this.kill('SIGTERM').catch(() => this.kill('SIGKILL'));
    await endAll(this.folders);
  }

  /** Removes it with all that it has. One that was killed is started for that: it knows best what its own is. */
  async remove(): Promise<void> {
    if (!(await this.answers())) {
      await this.stop([]);
      await this.start().catch((error) => console.error(error));
    }
    await this.stop([]);
    discard(this.folders.run);
    discard(this.folders.data);
  }
}

/** Ends and unmounts what daemons with these folders started and left. */
async function endAll({ run, data }: DaemonFolders): Promise<void> {
  const left = () => [...processesNaming(run), ...containerProcesses(data)];
  for (const { pid } of left()) signal(pid);
  await until('the processes of the daemon to end', () => left().length === 0);
  for (const folder of [run, data]) unmountBelow(folder);
}

/** Removes a folder with the mounts in it. */
export function discard(folder: string): void {
  unmountBelow(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
