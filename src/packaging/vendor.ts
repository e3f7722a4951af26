import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Runtime } from '../contract/custom-bot.ts';
import { PlatformError } from '../contract/errors.ts';
import { descriptorOf } from '../runtimes/descriptors.ts';
import type { Installation, Vendoring } from '../runtimes/runtime.ts';
import { isJsonObject } from '../shared/json.ts';
import { withoutApiKey } from '../shared/without-api-key.ts';
import { readJson } from './parse-json-positions.ts';
import { WORK_FOLDER } from './project-files.ts';
import { readPlainFile } from './read-plain-file.ts';

export interface VendorOptions {
  /** Output of the tool, and our progress, line by line. */
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Program to install with; by default that of the runtime. */
  readonly tool?: string;
  /** Called before the tool runs; throws where it may not run: packages run code of their own while they are installed. */
  readonly mayInstall?: () => void;
}

/** Result of vendoring. `overlays` goes to `packFolder`: folders that replace those of the project. */
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

interface ToolRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly isWindowsScript: true | undefined;
}

/** Runs a tool; throws INVALID_PACKAGE with its last lines when it fails or is missing. */
async function runTool({ command, args, cwd, isWindowsScript }: ToolRun, options: VendorOptions): Promise<void> {
  const last: string[] = [];

  const child = spawn(command, args, {
    cwd,
    shell: isWindowsScript === true && process.platform === 'win32',
    env: withoutApiKey(process.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  for (const stream of [child.stdout, child.stderr]) {
    const lines = createInterface({ input: stream });
    // An output that cannot be read any more ends with the tool, which is waited for.
    lines.on('error', () => undefined);
    lines.on('line', (line) => {
      last.push(line);
      if (last.length > LAST_LINES) last.shift();
      options.onLine?.(line);
    });
  }
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

/** Replaces a folder with a finished one, restoring the old one on failure. */
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

/** The manifest as an object. Throws INVALID_PACKAGE that names its fault. */
function readManifest(name: string, text: string): Readonly<Record<string, unknown>> {
  const read = readJson(text, 100);
  const manifest = 'source' in read ? read.source.value : null;
  if (isJsonObject(manifest)) return manifest;
  const reason = 'fault' in read ? read.fault.message : 'it is no object';
  throw new PlatformError('INVALID_PACKAGE', `${name} cannot be read: ${reason}`, { hint: 'Correct it.' });
}

/** Returns the installation that the project's manifest asks for; null for nothing. */
async function planOf(dir: string, vendoring: Vendoring): Promise<Installation | null> {
  const { manifest: name, isJson, lock } = vendoring;
  const manifest = await readPlainFile(join(dir, name));
  if (manifest === null) return null;
  return vendoring.plan({
    manifest,
    lock: lock === undefined ? null : await readPlainFile(join(dir, lock)),
    json: isJson ? readManifest(name, manifest) : null,
    abi: process.versions.modules,
    absolute: (path) => (isAbsolute(path) ? path : resolve(dir, path)),
  });
}

/** Installs into a staging folder and puts the result in its place. */
async function install(
  dir: string,
  target: string,
  { copies, removes, runsIn, place }: Vendoring,
  { line, stamp, tool, isWindowsScript, args, files }: Installation,
  options: VendorOptions,
): Promise<void> {
  options.onLine?.(line);
  await withStaging(dir, async (staging) => {
    const made = join(staging, basename(target));
    const result = 'overlay' in place ? join(made, place.overlay) : made;
    await mkdir(result, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(made, name), text);
    for (const name of copies) if (existsSync(join(dir, name))) await cp(join(dir, name), join(made, name));
    const cwd = runsIn === 'project' ? dir : made;
    await runTool({ command: tool, args: args(made), cwd, isWindowsScript }, options);
    await mkdir(result, { recursive: true });
    for (const name of removes) await rm(join(made, name), { force: true });
    await writeFile(join(made, STAMP), stampText(stamp));
    await mkdir(dirname(target), { recursive: true });
    await swap(made, target);
  });
}

const stampText = (stamp: readonly string[]): string => `${sha256(...stamp)}\n`;

/**
 * Vendors a project's dependencies with the tool of its runtime, in a staging folder that replaces the old one only when
 * complete. Some runtimes need nothing. Throws INVALID_PACKAGE with the tool's output and leaves the folder unchanged.
 */
export async function vendorDependencies(
  dir: string,
  runtime: Runtime,
  options: VendorOptions = {},
): Promise<Vendored> {
  const { vendoring } = descriptorOf(runtime);
  const plan = vendoring === undefined ? null : await planOf(dir, vendoring);
  if (vendoring === undefined || plan === null) return NOTHING;
  const { place } = vendoring;
  const isOwn = 'folder' in place;
  const target = isOwn ? join(dir, place.folder) : join(dir, WORK_FOLDER, place.workFolder);
  const overlays = isOwn ? {} : { [place.overlay]: join(target, place.overlay) };
  const before = await readPlainFile(join(target, STAMP));
  if (!plan.always && before === stampText(plan.stamp)) return { overlays, changed: false };
  if (isOwn && before === null && existsSync(target)) {
    const name = `${place.folder}/`;
    options.onLine?.(`${name} was not made by this command and is packed as it is. Remove it to have it rebuilt.`);
    return NOTHING;
  }
  options.mayInstall?.();
  await install(dir, target, vendoring, { ...plan, tool: options.tool ?? plan.tool }, options);
  return { overlays, changed: true };
}
