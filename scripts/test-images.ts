/**
 * Makes the images that the Docker tests run, with no registry: Debian packages and npm's node binary, unpacked without
 * maintainer scripts into one tar per image, and imported under the names of our default images. What they hold is less
 * than what the real ones hold, never more, so that nothing works here that fails with the real image.
 *
 *     node scripts/test-images.ts [--host unix:///…] [--replace] [--tars] [image…]
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, rmSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import Docker from 'dockerode';

const run = promisify(execFile);
const DAY_MS = 86_400_000;
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';
const MIRROR = 'http://deb.debian.org/debian';

interface Image {
  readonly suite: 'bookworm' | 'trixie';
  readonly packages: readonly string[];
  /** Lines of a Dockerfile that the real image has too. */
  readonly config: readonly string[];
  readonly finish?: (root: string) => Promise<void>;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const BASE = ['dash', 'coreutils', 'grep', 'libstdc++6'];

/** What resources/images/gcc13 makes: the C++ samples link what the default image of their runtime lacks. */
export const GCC13_IMAGE = 'bot-platform-test/gcc13:1';

/** Name to contents. The entrypoints are those of the real images, which a platform has to live with. */
export const IMAGES: Readonly<Record<string, Image>> = {
  'python:3.11-slim-bookworm': {
    suite: 'bookworm',
    packages: [...BASE, 'ca-certificates', 'python3.11'],
    config: [`ENV PATH=/usr/local/bin:${PATH} LANG=C.UTF-8`, 'CMD ["python3"]'],
    async finish(root) {
      for (const name of ['python', 'python3', 'python3.11']) {
        await symlink('/usr/bin/python3.11', join(root, 'usr/local/bin', name));
      }
    },
  },
  'node:24-bookworm-slim': {
    suite: 'bookworm',
    // The images of Node 25 and later have libatomic1, without which such a Node does not start.
    packages: [...BASE, 'libatomic1'],
    config: [`ENV PATH=${PATH}`, 'ENTRYPOINT ["docker-entrypoint.sh"]', 'CMD ["node"]'],
    async finish(root) {
      if (!existsSync(nodeBinary()))
        throw new Error(`The node image needs ${nodeBinary()}, which npm ci installs on Linux.`);
      await copyFile(nodeBinary(), join(root, 'usr/local/bin/node'));
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in
      const first = '[ "${1#-}" != "$1" ] || [ -z "$(command -v "$1")" ] || { [ -f "$1" ] && ! [ -x "$1" ]; }';
      await script(root, 'usr/local/bin/docker-entrypoint.sh', `if ${first}; then set -- node "$@"; fi\nexec "$@"`);
    },
  },
  'debian:trixie-slim': {
    suite: 'trixie',
    packages: BASE,
    config: [`ENV PATH=${PATH}`, 'CMD ["bash"]'],
  },
  [GCC13_IMAGE]: {
    suite: 'trixie',
    packages: [...BASE, 'ca-certificates', 'libcurl4t64'],
    config: [`ENV PATH=${PATH}`, 'CMD ["bash"]'],
  },
  'eclipse-temurin:21-jre': {
    suite: 'trixie',
    packages: [...BASE, 'openjdk-21-jre-headless'],
    config: [
      `ENV JAVA_HOME=/opt/java/openjdk PATH=/opt/java/openjdk/bin:${PATH} LANG=en_US.UTF-8`,
      'ENTRYPOINT ["/__cacert_entrypoint.sh"]',
    ],
    async finish(root) {
      await mkdir(join(root, 'opt/java'), { recursive: true });
      const [home = ''] = (await readdir(join(root, 'usr/lib/jvm'))).filter((name) => name.startsWith('java-21-'));
      await symlink(`/usr/lib/jvm/${home}`, join(root, 'opt/java/openjdk'));
      await script(root, '__cacert_entrypoint.sh', 'exec "$@"');
    },
  },
};

/** What a test may count on; the others are made on request. */
export const USUAL_IMAGES = ['python:3.11-slim-bookworm', 'node:24-bookworm-slim', 'debian:trixie-slim', GCC13_IMAGE];

/** Where packages, tars and the daemon's storage stay between runs. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'bot-platform-test-images');
}

/** A client of the engine at `unix:///…`, `npipe:////…` or `tcp://…`. */
export function dockerAt(host: string): Docker {
  const url = new URL(host);
  if (url.protocol === 'unix:') return new Docker({ socketPath: url.pathname });
  if (url.protocol === 'npipe:') return new Docker({ socketPath: host.slice('npipe://'.length) });
  if (url.protocol !== 'tcp:')
    throw new Error(`Not an address of a Docker engine: ${host} (unix://…, npipe://… or tcp://…)`);
  return new Docker({ protocol: 'http', host: url.hostname, port: url.port || 2375 });
}

async function script(root: string, path: string, body: string): Promise<void> {
  await writeFile(join(root, path), `#!/bin/sh\nset -e\n${body}\n`);
  await chmod(join(root, path), 0o755);
}

function nodeBinary(): string {
  return resolve(import.meta.dirname, `../node_modules/node-linux-${process.arch}/bin/node`);
}

/**
 * Runs `work` while no other process of this machine is in the lock of this name. The kernel holds it, so that a killed
 * process leaves none behind. Linux.
 */
export async function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const path = `\0bot-platform-test.${name}`;
  for (;;) {
    const server = createServer();
    const taken = await new Promise<boolean>((done, failed) => {
      server.once('listening', () => done(true));
      server.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE' ? done(false) : failed(error),
      );
      server.listen(path);
    });
    if (taken) {
      const waiting = new Set<import('node:net').Socket>();
      server.on('connection', (socket) => waiting.add(socket.on('error', () => undefined)));
      try {
        return await work();
      } finally {
        for (const socket of waiting) socket.destroy();
        await new Promise((done) => server.close(done));
      }
    }
    // The holder closes its end when it is done.
    await new Promise<void>((done) => {
      connect(path)
        .on('error', () => undefined)
        .on('close', () => done())
        .resume();
    });
  }
}

/** An apt of our own: no installed packages, one suite, own lists. The machine's apt is not touched. */
class Apt {
  readonly #dir: string;
  readonly #suite: string;

  constructor(dir: string, suite: string) {
    this.#dir = dir;
    this.#suite = suite;
  }

  #get(...args: string[]): Promise<{ stdout: string }> {
    const env = { ...process.env, APT_CONFIG: join(this.#dir, 'apt.conf'), LC_ALL: 'C' };
    return run('apt-get', ['-qq', '-y', ...args], { env, maxBuffer: 1 << 26 });
  }

  async #update(): Promise<void> {
    await this.#get('update');
    await writeFile(join(this.#dir, 'updated'), '');
  }

  async prepare(): Promise<void> {
    const at = (path: string) => join(this.#dir, path);
    for (const path of ['lists/partial', 'archives/partial']) await mkdir(at(path), { recursive: true });
    // Their scripts are all that ca-certificates needs these for, and no script runs here.
    const pretended = ['debconf', 'openssl'].map(
      (name) =>
        `Package: ${name}\nStatus: install ok installed\nVersion: 99\nArchitecture: all\nMulti-Arch: foreign\nProvides: debconf-2.0\nMaintainer: none\nDescription: none\n`,
    );
    await writeFile(at('status'), pretended.join('\n'));
    await writeFile(at('sources.list'), `deb [signed-by=${KEYS}] ${MIRROR} ${this.#suite} main\n`);
    await writeFile(
      at('apt.conf'),
      `APT::Sandbox::User "root"; APT::Install-Recommends "false"; Acquire::Languages "none"; Debug::NoLocking "true";
Dir::Etc::SourceList "${at('sources.list')}"; Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null"; Dir::Etc::PreferencesParts "/dev/null";
Dir::State "${this.#dir}"; Dir::State::Lists "${at('lists')}"; Dir::State::Status "${at('status')}";
Dir::Cache "${this.#dir}"; Dir::Cache::Archives "${at('archives')}"; APT::Keep-Downloaded-Packages "true";
DPkg::Pre-Install-Pkgs {}; DPkg::Post-Invoke {}; APT::Update::Post-Invoke {}; APT::Update::Post-Invoke-Success {};
`,
    );
    const updated = await stat(at('updated')).catch(() => null);
    if (updated === null || Date.now() - updated.mtimeMs > DAY_MS) await this.#update();
  }

  /** Downloads these packages and all that they need. */
  async download(packages: readonly string[]): Promise<void> {
    const download = () => this.#get('--download-only', 'install', ...packages);
    await download().catch(async () => {
      await this.#update();
      await download();
    });
  }

  /** The files of these packages and of all that they need. */
  async files(packages: readonly string[]): Promise<string[]> {
    const { stdout } = await this.#get(
      '--print-uris',
      '-o',
      `Dir::Cache::Archives=${this.#dir}/none`,
      'install',
      ...packages,
    );
    const names = [...stdout.matchAll(/^'[^']+' (\S+\.deb) /gm)].map((match) => match[1] ?? '');
    return names.map((name) => join(this.#dir, 'archives', name));
  }
}

const UNPACK = `set -euo pipefail
root=$1; shift
for deb; do dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$root" --exclude './usr/share/doc/*' \\
  --exclude './usr/share/man/*' --exclude './usr/share/locale/*' --exclude './usr/share/info/*'; done`;

async function unpack(root: string, debs: readonly string[]): Promise<void> {
  const folders = ['usr/bin', 'usr/sbin', 'usr/lib', 'usr/lib64', 'usr/local/bin', 'etc', 'proc', 'sys', 'dev', 'run'];
  for (const dir of [...folders, 'tmp', 'var/tmp', 'root', 'home']) await mkdir(join(root, dir), { recursive: true });
  for (const dir of ['tmp', 'var/tmp']) await chmod(join(root, dir), 0o1777);
  for (const dir of ['bin', 'sbin', 'lib', 'lib64']) await symlink(`usr/${dir}`, join(root, dir));
  await run('bash', ['-c', UNPACK, 'unpack', root, ...debs]);
  // What the scripts of the packages would have made.
  const nobody = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin';
  await writeFile(join(root, 'etc/passwd'), `root:x:0:0:root:/root:/bin/sh\n${nobody}\n`);
  await writeFile(join(root, 'etc/group'), 'root:x:0:\nnogroup:x:65534:\n');
  await writeFile(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  if (!existsSync(join(root, 'usr/bin/sh'))) await symlink('dash', join(root, 'usr/bin/sh'));
  const authorities = join(root, 'usr/share/ca-certificates/mozilla');
  if (existsSync(authorities)) {
    const names = (await readdir(authorities)).sort();
    const all = await Promise.all(names.map((name) => readFile(join(authorities, name), 'utf8')));
    await mkdir(join(root, 'etc/ssl/certs'), { recursive: true });
    await writeFile(join(root, 'etc/ssl/certs/ca-certificates.crt'), all.join(''));
    // Where OpenSSL looks, from the package openssl.
    await mkdir(join(root, 'usr/lib/ssl'), { recursive: true });
    await symlink('/etc/ssl/certs', join(root, 'usr/lib/ssl/certs'));
    await symlink('/etc/ssl/certs/ca-certificates.crt', join(root, 'usr/lib/ssl/cert.pem'));
  }
}

function known(name: string): Image {
  const image = IMAGES[name];
  if (image === undefined) throw new Error(`No test image ${name}. There are: ${Object.keys(IMAGES).join(', ')}`);
  return image;
}

/** Changes with how images are made, which is this file, and with the Node that goes into one. */
function fingerprint(name: string): string {
  const node = resolve(dirname(nodeBinary()), '../package.json');
  const hash = createHash('sha256')
    .update(name)
    .update(process.arch)
    .update(readFileSync(import.meta.filename));
  if (existsSync(node)) hash.update(readFileSync(node));
  return hash.digest('hex').slice(0, 12);
}

function tarPath(name: string): string {
  return join(cacheFolder(), `${name.replace(/[:/]/g, '_')}.${fingerprint(name)}.tar`);
}

async function make(name: string, apt: Apt): Promise<void> {
  const image = known(name);
  const root = await mkdtemp(join(cacheFolder(), 'root-'));
  const tar = tarPath(name);
  try {
    await chmod(root, 0o755);
    await unpack(root, await apt.files(image.packages));
    await image.finish?.(root);
    const owner = ['--numeric-owner', '--owner=0', '--group=0', '--sort=name'];
    await run('tar', ['-C', root, ...owner, '-cf', `${root}.tar`, '.']);
    for (const old of await readdir(cacheFolder())) {
      if (old.startsWith(`${name.replace(/[:/]/g, '_')}.`)) await rm(join(cacheFolder(), old));
    }
    await rename(`${root}.tar`, tar);
  } finally {
    await rm(root, { recursive: true, force: true });
    await rm(`${root}.tar`, { force: true });
  }
}

/** Why this machine cannot make images; null where it can. */
export function whyNoImages(): string | null {
  if (process.platform !== 'linux') return 'test images are made on Linux only';
  for (const tool of ['/usr/bin/apt-get', '/usr/bin/dpkg-deb', KEYS]) {
    if (!existsSync(tool)) return `test images are made from Debian packages and this machine has no ${tool}`;
  }
  return null;
}

/** The tars of these images, made where they are missing. */
export async function imageTars(names: readonly string[]): Promise<string[]> {
  const missing = () => names.filter((name) => !existsSync(tarPath(name)));
  if (missing().length > 0) {
    const why = whyNoImages();
    if (why !== null) throw new Error(why);
    await mkdir(cacheFolder(), { recursive: true, mode: 0o700 });
    await withLock('images', async () => {
      for (const left of await readdir(cacheFolder())) {
        if (left.startsWith('root-')) rmSync(join(cacheFolder(), left), { recursive: true, force: true });
      }
      await Promise.all(
        [...Map.groupBy(missing(), (name) => known(name).suite)].map(async ([suite, wanted]) => {
          const apt = new Apt(join(cacheFolder(), `apt-${suite}`), suite);
          await apt.prepare();
          await apt.download([...new Set(wanted.flatMap((name) => known(name).packages))]);
          for (const name of wanted) await make(name, apt);
        }),
      );
    });
  }
  return names.map(tarPath);
}

/** How an engine has an image: the one made here, another one, or none. */
export async function imageKind(docker: Docker, name: string): Promise<'ours' | 'other' | 'none'> {
  try {
    const { Comment } = await docker.getImage(name).inspect();
    return Comment === `test image ${fingerprint(name)}` ? 'ours' : 'other';
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 404) return 'none';
    throw error;
  }
}

/** Imports images that an engine lacks, and says which. An image of that name that is not made here stays unless `replace`. */
export async function importImages(docker: Docker, names: readonly string[], replace: boolean): Promise<string[]> {
  const kinds = await Promise.all(names.map((name) => imageKind(docker, name)));
  const wanted = names.filter((_, at) => kinds[at] === 'none' || (replace && kinds[at] === 'other'));
  const tars = await imageTars(wanted);
  for (const [at, name] of wanted.entries()) {
    // It would stay without a name.
    if (replace && kinds[names.indexOf(name)] === 'other') await docker.getImage(name).remove({ force: true });
    const file = createReadStream(tars[at] ?? '');
    const [repo, tag] = name.split(':');
    // One text of many lines: the client cannot repeat a parameter, and the engine joins them with line ends anyway.
    const options = { repo, tag, message: `test image ${fingerprint(name)}`, changes: known(name).config.join('\n') };
    const progress = await docker.importImage(file as unknown as string, options);
    await new Promise<void>((done, failed) => {
      docker.modem.followProgress(progress, (error: Error | null) => (error === null ? done() : failed(error)));
    });
  }
  return wanted;
}

if (import.meta.main) {
  const no = { type: 'boolean', default: false } as const;
  const options = { host: { type: 'string' }, replace: no, tars: no } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const names = positionals.length > 0 ? positionals : USUAL_IMAGES;
  const start = performance.now();
  const said = values.tars
    ? await imageTars(names)
    : await importImages(
        dockerAt(values.host ?? process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock'),
        names,
        values.replace,
      );
  console.log([...said, `${((performance.now() - start) / 1000).toFixed(1)} s`].join('\n'));
}
