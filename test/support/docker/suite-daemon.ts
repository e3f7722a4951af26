import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cacheFolder,
  dockerAt,
  IMAGES,
  imageKind,
  importImages,
  USUAL_IMAGES,
  whyNoImages,
  withLock,
} from '../../../scripts/test-images.ts';
import { isRunning } from '../units.ts';
import { until } from '../until.ts';
import { removeBridge } from './bridge.ts';
import { type DaemonFolders, DOCKERD, Dockerd, discard } from './dockerd.ts';
import { leftOvers } from './left-overs.ts';
import { rememberNetwork, restoreNetwork } from './network-state.ts';
import { foreignDaemon, processes } from './traces.ts';

const RUN = '/run/bot-platform-test-docker';
const NETWORK = 'network-before.json';
const DATA = 'data-folder';
const NAME = 'docker';
const USER = 'bot-platform-test.docker-user.';
/** Folders of daemons that single tests start begin with this and the process id of the test. */
export const PRIVATE_PREFIX = 'bot-platform-dockerd-';

/** Folders of a test's daemon; `dir` also holds other files. */
export function privateFolders(dir: string): DaemonFolders {
  return { run: join(dir, 'run'), data: join(dir, 'data') };
}

/** An engine for the tests, or why there is none. */
export type Engine = { readonly host: string; readonly note: string } | { readonly reason: string };

/** An engine that this run uses until `release`, which says what the run has left in it. */
export interface Acquired {
  readonly engine: Engine;
  release(): Promise<string[]>;
}

const none = (reason: string): Acquired => ({ engine: { reason }, release: async () => [] });

function usualHosts(): string[] {
  if (process.env.DOCKER_HOST !== undefined) return [process.env.DOCKER_HOST];
  if (process.platform === 'win32') return ['npipe:////./pipe/docker_engine'];
  const sockets = ['/var/run/docker.sock', join(homedir(), '.docker/run/docker.sock')];
  return sockets.filter((path) => existsSync(path)).map((path) => `unix://${path}`);
}

async function using(host: string, note: string): Promise<Acquired> {
  const before = new Set(await leftOvers(host));
  const release = async () => (await leftOvers(host)).filter((one) => !before.has(one));
  return { engine: { host, note }, release };
}

async function imported(host: string): Promise<string> {
  const added = await importImages(dockerAt(host), USUAL_IMAGES, false);
  return added.length === 0 ? 'it has all images' : `test images were imported into it: ${added.join(', ')}`;
}

async function named(host: string): Promise<Acquired> {
  try {
    await dockerAt(host).ping();
  } catch (error) {
    throw new Error(`PLATFORM_TEST_DOCKER is ${host}, and no Docker engine answers there: ${error}`);
  }
  return using(host, await imported(host));
}

async function running(host: string): Promise<Acquired | null> {
  const docker = dockerAt(host);
  const answers = await docker.ping().then(
    () => true,
    () => false,
  );
  if (!answers) return null;
  const missing: string[] = [];
  for (const name of USUAL_IMAGES) if ((await imageKind(docker, name)) === 'none') missing.push(name);
  if (missing.length === 0) return using(host, 'it runs on this machine and has all images');
  const isNew = (await docker.listImages({ all: true })).length === 0;
  if (isNew && whyNoImages() === null) return using(host, `it was empty: ${await imported(host)}`);
  return none(
    `the engine at ${host} lacks ${missing.join(', ')}: pull them, or set PLATFORM_TEST_DOCKER=${host} to have test images imported there`,
  );
}

/** Why this machine cannot run a daemon of ours; null where it can. */
export function whyNoDaemon(): string | null {
  if (process.platform !== 'linux') return 'no Docker engine answers, and only on Linux can the tests start their own';
  if (process.getuid?.() !== 0) return 'no Docker engine answers, and the tests start their own only as root';
  if (DOCKERD === null)
    return 'no Docker engine answers, and there is no dockerd (Debian, Ubuntu: apt-get install docker.io)';
  return null;
}

/** Runs that use the daemon; the kernel forgets one that is killed. */
function users(): Set<string> {
  const names = readFileSync('/proc/net/unix', 'utf8').matchAll(/ @(\S+)$/gm);
  return new Set([...names].map((match) => match[1] ?? '').filter((name) => name.startsWith(USER)));
}

async function register(): Promise<() => Promise<void>> {
  const name = `${USER}${process.pid}`;
  const { run } = ownFolders();
  mkdirSync(run, { recursive: true, mode: 0o700 });
  const janitors = new Set<Socket>();
  const server = createServer((socket) => janitors.add(socket.on('error', () => undefined)));
  server.listen(`\0${name}`);
  await once(server, 'listening');
  server.unref();
  const janitor = [join(import.meta.dirname, 'janitor.ts'), name];
  const log = openSync(join(run, 'janitor.log'), 'a');
  spawn(process.execPath, janitor, { detached: true, stdio: ['ignore', log, log] }).unref();
  closeSync(log);
  return () => {
    for (const socket of janitors) socket.destroy();
    return new Promise((done) => server.close(() => done()));
  };
}

/** Cleans up after a run that was killed or interrupted. */
export async function tidyUpAfter(user: string): Promise<void> {
  const socket = connect(`\0${user}`).resume();
  // A run that was gone before we came refuses, which is as good as an end.
  socket.on('error', () => undefined);
  await new Promise((done) => socket.once('close', done));
  // Its end of the connection may close before the socket that says that it uses the daemon.
  await until('the run to end', () => !users().has(user));
  await withLock(NAME, () => takeDown(ownDaemon()));
}

/** Removes the daemons of tests that were killed. */
async function scrubOrphans(): Promise<void> {
  for (const entry of readdirSync(tmpdir())) {
    const owner = new RegExp(`^${PRIVATE_PREFIX}(\\d+)-`).exec(entry)?.[1];
    if (owner === undefined || isRunning(Number(owner))) continue;
    const dir = join(tmpdir(), entry);
    await Dockerd.leftIn(privateFolders(dir))?.remove();
    removeBridge(dir);
    discard(dir);
  }
}

function usualData(): string {
  return join(cacheFolder(), 'docker');
}

/** One daemon per network namespace, as the locks: two in one would fight over docker0 and the packet filter. */
function ownFolders(): DaemonFolders {
  const namespace = readlinkSync('/proc/self/ns/net').replace(/\D/g, '');
  const run = `${RUN}-${namespace}`;
  const chosen = join(run, DATA);
  if (existsSync(chosen)) return { run, data: readFileSync(chosen, 'utf8') };
  // By a run in another network namespace, which we must not meet on the disk either.
  const isTaken = processes().some(({ name, args }) => name === 'dockerd' && args.includes(usualData()));
  return { run, data: isTaken ? `${usualData()}-${namespace}` : usualData() };
}

function ownDaemon(): Dockerd {
  return new Dockerd(ownFolders(), ['--containerd-namespace', 'bot-platform-test']);
}

async function bringUp(daemon: Dockerd): Promise<string> {
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  if (users().size > 1 && (await daemon.answers())) {
    await importImages(daemon.docker, USUAL_IMAGES, true);
    return `shared with another run, ${seconds()}`;
  }
  // A daemon of a killed run may be in any state: it is stopped, and the next one reuses its data.
  await daemon.stop(Object.keys(IMAGES));
  writeFileSync(join(daemon.folders.run, DATA), daemon.folders.data);
  rememberNetwork(join(daemon.folders.run, NETWORK));
  try {
    await daemon.start();
  } catch {
    await daemon.stop([]);
    discard(join(daemon.folders.run, 'exec'));
    discard(daemon.folders.data);
    await daemon.start();
  }
  await daemon.empty(Object.keys(IMAGES));
  const added = await importImages(daemon.docker, USUAL_IMAGES, true);
  return `started in ${seconds()}, ${added.length} images imported`;
}

/** Stops the daemon with the last run that used it. */
async function takeDown(daemon: Dockerd): Promise<void> {
  if (users().size > 0) return;
  // What cannot be removed now is removed by the next run, which finds it in the same folder.
  await daemon.stop(Object.keys(IMAGES));
  restoreNetwork(join(daemon.folders.run, NETWORK));
  discard(daemon.folders.run);
  if (daemon.folders.data !== usualData()) discard(daemon.folders.data);
  await scrubOrphans();
}

async function own(): Promise<Acquired> {
  const why = whyNoDaemon() ?? whyNoImages();
  if (why !== null) return none(why);
  const foreign = foreignDaemon([ownFolders().run]);
  if (foreign !== null) {
    const at = foreign.args.find((arg) => arg.startsWith('unix://')) ?? 'its address';
    return none(
      `another dockerd (process ${foreign.pid}) runs here and two would fight over the network: set PLATFORM_TEST_DOCKER=${at} to use it`,
    );
  }
  const daemon = ownDaemon();
  return withLock(NAME, async () => {
    const leave = await register();
    try {
      await scrubOrphans();
      const note = await bringUp(daemon);
      return {
        engine: { host: daemon.host, note },
        release: () =>
          withLock(NAME, async () => {
            try {
              // Containers may belong to other users of the engine: the last one checks.
              return users().size > 1 ? [] : await leftOvers(daemon.host);
            } finally {
              await leave();
              await takeDown(daemon);
            }
          }),
      };
    } catch (error) {
      await leave();
      await takeDown(daemon);
      throw error;
    }
  });
}

/**
 * The engine of PLATFORM_TEST_DOCKER (`off` for none), or one that runs here and has the images, or a daemon of our own.
 */
export async function acquireEngine(): Promise<Acquired> {
  const wanted = process.env.PLATFORM_TEST_DOCKER;
  if (wanted === 'off') return none('PLATFORM_TEST_DOCKER is off');
  if (wanted !== undefined && wanted !== '') return named(wanted);
  for (const host of usualHosts()) {
    const found = await running(host);
    if (found !== null) return found;
  }
  return own();
}
