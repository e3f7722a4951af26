import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { RUNTIMES, type Runtime } from '../contract/custom-bot.ts';
import { PlatformError } from '../contract/errors.ts';
import { isJsonObject, ownValue } from '../isomorphic/json.ts';
import { keyFree } from '../isomorphic/key-free.ts';
import { readJson } from './json-source.ts';
import { readPlainFile } from './plain-file.ts';
import { WORK_FOLDER } from './project-files.ts';

export interface VendorOptions {
  /** Output of pip and npm, and what is being done, line by line. */
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Python to use; default `python3`. */
  readonly python?: string;
}

/** What vendoring did. `overlays` goes to `packFolder`: folders that stand in for those of the project. */
export interface Vendored {
  readonly overlays: Readonly<Record<string, string>>;
  /** False when everything was up to date. */
  readonly changed: boolean;
}

const NOTHING: Vendored = { overlays: {}, changed: false };
const STAMP = '.platform-stamp';
const LAST_LINES = 15;

const sha256 = (...parts: readonly (string | Buffer)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
};

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done(code));
  });
}

/** Runs a tool and throws INVALID_PACKAGE with its last lines when it fails or is not there. */
async function runTool(command: string, args: readonly string[], cwd: string, options: VendorOptions): Promise<void> {
  const last: string[] = [];
  const shell = process.platform === 'win32' && command === 'npm';
  const child = spawn(command, args, {
    cwd,
    shell,
    env: keyFree(process.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      last.push(line);
      if (last.length > LAST_LINES) last.shift();
      options.onLine?.(line);
    });
  let code: number | null;
  try {
    code = await ended(child);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new PlatformError('INVALID_PACKAGE', `${command} cannot be started, but the dependencies need it`, {
      hint: `Install ${command}, or publish with --no-vendor after installing the dependencies yourself.`,
      cause: error,
    });
  }
  if (code === 0) return;
  const errorLine = last.findLast((line) => /error|ERR!/i.test(line)) ?? last.at(-1) ?? 'it said nothing';
  throw new PlatformError('INVALID_PACKAGE', `${command} could not install the dependencies: ${errorLine.trim()}`, {
    hint: 'Correct what the lines above say. Nothing in your folder was changed.',
    details: last.map((message) => ({ path: command, message })),
  });
}

/** Puts a finished folder in place of an older one; the old one comes back when that fails. */
async function swap(made: string, place: string): Promise<void> {
  const old = `${made}-old`;
  const replaces = existsSync(place);
  if (replaces) await rename(place, old);
  try {
    await rename(made, place);
  } catch (error) {
    if (replaces) await rename(old, place);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}

/** Runs `work` with a temporary folder inside the project's work folder, which is hidden from git and packages. */
async function withStaging<T>(dir: string, work: (staging: string) => Promise<T>): Promise<T> {
  const home = join(dir, WORK_FOLDER);
  await mkdir(home, { recursive: true });
  await writeFile(join(home, '.gitignore'), '*\n');
  const staging = await mkdtemp(join(home, 'staging-'));
  try {
    return await work(staging);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** requirements.txt -> vendor/, when vendor/ was not made from these very requirements. */
async function vendorPython(dir: string, options: VendorOptions): Promise<Vendored> {
  const file = join(dir, 'requirements.txt');
  const requirements = await readPlainFile(file);
  if (requirements === null || !/^\s*[^#\s]/m.test(requirements)) return NOTHING;
  const place = join(dir, 'vendor');
  const stamp = `${sha256(requirements)}\n`;
  const before = await readPlainFile(join(place, STAMP));
  if (before === stamp) return NOTHING;
  if (before === null && existsSync(place)) {
    options.onLine?.('vendor/ was not made by this command and is packed as it is. Remove it to have it made anew.');
    return NOTHING;
  }
  const python = options.python ?? 'python3';
  options.onLine?.('Installing requirements.txt into vendor/');
  await withStaging(dir, async (staging) => {
    const made = join(staging, 'vendor');
    const quiet = ['--disable-pip-version-check', '--no-input', '--no-compile', '--no-warn-script-location'];
    await runTool(python, ['-m', 'pip', 'install', ...quiet, '--target', made, '-r', file], dir, options);
    await mkdir(made, { recursive: true });
    await writeFile(join(made, STAMP), stamp);
    await swap(made, place);
  });
  return { overlays: {}, changed: true };
}

const LOCAL = /^(file|link):(.*)$/;

/** Dependencies of package.json with local folders made absolute, since they are installed from another folder. */
function productionManifest(manifest: Readonly<Record<string, unknown>>, dir: string) {
  let local = false;
  const absolute = (spec: unknown) => {
    const [, , path] = typeof spec === 'string' ? (LOCAL.exec(spec) ?? []) : [];
    if (path === undefined) return spec;
    local = true;
    return `file:${isAbsolute(path) ? path : resolve(dir, path)}`;
  };
  const production: Record<string, unknown> = {};
  for (const key of ['name', 'version', 'type', 'engines', 'overrides'])
    if (ownValue(manifest, key) !== undefined) production[key] = manifest[key];
  for (const key of ['dependencies', 'optionalDependencies', 'devDependencies', 'peerDependencies']) {
    const group = ownValue(manifest, key);
    if (isJsonObject(group))
      production[key] = Object.fromEntries(Object.entries(group).map(([name, spec]) => [name, absolute(spec)]));
  }
  return { production, local };
}

/** package.json -> production node_modules in the work folder; the project's own node_modules is never touched. */
async function vendorNode(dir: string, options: VendorOptions): Promise<Vendored> {
  const text = await readPlainFile(join(dir, 'package.json'));
  if (text === null) return NOTHING;
  const read = readJson(text, 100);
  const manifest = 'source' in read ? read.source.value : null;
  if (!isJsonObject(manifest)) {
    const reason = 'fault' in read ? read.fault.message : 'it is no object';
    throw new PlatformError('INVALID_PACKAGE', `package.json cannot be read: ${reason}`, { hint: 'Correct it.' });
  }
  const groups = [ownValue(manifest, 'dependencies'), ownValue(manifest, 'optionalDependencies')];
  if (!groups.some((group) => isJsonObject(group) && Object.keys(group).length > 0)) return NOTHING;
  const lock = await readPlainFile(join(dir, 'package-lock.json'));
  const { production, local } = productionManifest(manifest, dir);
  const place = join(dir, WORK_FOLDER, 'node');
  const overlays = { node_modules: join(place, 'node_modules') };
  const stamp = `${sha256(JSON.stringify(production), lock ?? '', process.versions.modules)}\n`;
  if (!local && (await readPlainFile(join(place, STAMP))) === stamp) return { overlays, changed: false };
  options.onLine?.('Installing the production dependencies of package.json');
  await withStaging(dir, async (staging) => {
    const made = join(staging, 'node');
    await mkdir(join(made, 'node_modules'), { recursive: true });
    await writeFile(join(made, 'package.json'), JSON.stringify(production, null, 2));
    const useLock = lock !== null && !local;
    if (useLock) await writeFile(join(made, 'package-lock.json'), lock);
    if (existsSync(join(dir, '.npmrc'))) await cp(join(dir, '.npmrc'), join(made, '.npmrc'));
    const common = ['--omit=dev', '--no-audit', '--no-fund', '--install-links'];
    await runTool('npm', useLock ? ['ci', ...common] : ['install', '--no-package-lock', ...common], made, options);
    await mkdir(join(made, 'node_modules'), { recursive: true });
    // Holds the absolute paths of this machine; without it the same dependencies give the same package.
    await rm(join(made, 'node_modules', '.package-lock.json'), { force: true });
    await rm(join(made, '.npmrc'), { force: true });
    await writeFile(join(made, STAMP), stamp);
    await mkdir(dirname(place), { recursive: true });
    await swap(made, place);
  });
  return { overlays, changed: true };
}

/**
 * Brings a project's dependencies into its package (wire.md section 2, Publishing): pip for Python, npm for Node, made
 * in a staging folder and put in place only when complete. Other runtimes need nothing. Throws INVALID_PACKAGE with
 * the tool's words; then the folder is as it was.
 */
export async function vendorDependencies(
  dir: string,
  runtime: Runtime,
  options: VendorOptions = {},
): Promise<Vendored> {
  const { kind } = RUNTIMES[runtime];
  if (kind === 'python') return vendorPython(dir, options);
  return kind === 'node' ? vendorNode(dir, options) : NOTHING;
}
