import { createReadStream, type Dirent } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { systemErrorCode } from '../../../node/system-error.ts';
import { DESCRIPTORS } from '../../../runtimes/all.ts';
import { findRuntime } from '../../../runtimes/descriptors.ts';
import type { WarmSupport } from '../../../runtimes/runtime.ts';
import type { UnitSpec } from '../engine/engine.ts';

interface Program extends Pick<UnitSpec, 'runtime' | 'entry'> {
  /** The host's folder with the code. */
  readonly codeDir: string;
}

/** Returns the program of a spec. */
export function programOf({ runtime, entry, code }: UnitSpec): Program {
  return { runtime, entry, codeDir: code.dir };
}

/** Text that every program and every copy of the SDK contains which can wait for its question. */
const MARKER = 'PLATFORM_QUERY_WARM';
const SOURCE_BYTES = 1024 * 1024;
const MOST_SOURCES = 500;
const MOST_KNOWN = 1000;

type Script = Extract<WarmSupport, { readonly kind: 'script' }>;

/** Both match if the program calls `query.run()`, under any name. */
const RUNS = [/\bquery\b/, /\brun\s*\(/];
/** Matches a program that reads its question itself, and would find none when it is started early. */
const LOOKS_ITSELF = /QUERY_PA(?:TH|RAM)/;
const LOOKS_ITSELF_COMPILED = /QUERY_PARAM_[A-Za-z0-9_]/;
/** Folders without the bot's own code. */
const FOREIGN = new Set(['.git', ...DESCRIPTORS.flatMap(({ warm }) => (warm?.kind === 'script' ? warm.foreign : []))]);

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Returns the text of a plain file; null for anything else, and for a file too large to be written by hand. */
async function sourceText(path: string): Promise<string | null> {
  const stat = await orNull(lstat(path));
  if (stat === null || !stat.isFile() || stat.size > SOURCE_BYTES) return null;
  return orNull(readFile(path, 'utf8'));
}

/** Returns the source files below a folder; null when they are too many to read. */
async function sources(root: string, extensions: readonly string[], skip: ReadonlySet<string>) {
  const folders = [root];
  const found: string[] = [];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries: Dirent[] = (await orNull(readdir(folder, { withFileTypes: true }))) ?? [];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !skip.has(entry.name)) folders.push(path);
      if (entry.isFile() && extensions.includes(extname(entry.name))) found.push(path);
    }
    if (found.length > MOST_SOURCES || folders.length > MOST_SOURCES) return null;
  }
  return found;
}

async function someContains(paths: readonly string[], wanted: RegExp): Promise<boolean> {
  for (const path of paths) if (wanted.test((await sourceText(path)) ?? '')) return true;
  return false;
}

/** True if the SDK that the program would load can wait. A package without a copy uses ours, which can. */
async function sdkWaits({ codeDir, entry }: Program, language: Script): Promise<boolean> {
  for (const copy of language.copies(entry)) {
    const path = join(codeDir, copy);
    const stat = await orNull(lstat(path));
    if (stat === null) continue;
    const files = stat.isDirectory() ? await sources(path, language.extensions, new Set()) : [path];
    return files !== null && someContains(files, new RegExp(MARKER));
  }
  return true;
}

async function scriptWaits(program: Program, language: Script): Promise<boolean> {
  const text = await sourceText(join(program.codeDir, program.entry));
  if (text === null || !language.imports.test(text) || !RUNS.every((one) => one.test(text))) return false;
  const own = await sources(program.codeDir, language.extensions, FOREIGN);
  if (own === null || (await someContains(own, LOOKS_ITSELF))) return false;
  return sdkWaits(program, language);
}

const OVERLAP = 64;

async function binaryWaits(path: string): Promise<boolean> {
  let waits = false;
  let rest = '';
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    const text = rest + Buffer.from(chunk).toString('latin1');
    if (LOOKS_ITSELF_COMPILED.test(text)) return false;
    waits ||= text.includes(MARKER);
    rest = text.slice(-OVERLAP);
  }
  return waits;
}

/**
 * Decides which query programs can be started before their question is known. A program without this ability would act
 * as a server, so the package must prove the ability: the program answers through a copy of our SDK that can wait, and
 * nothing in the package reads the question itself. A runtime whose descriptor does not mention it never has the
 * ability.
 */
export class WarmAbility {
  readonly #known = new Map<string, Promise<boolean>>();

  async canWait(program: Program): Promise<boolean> {
    const id = await this.#identify(program);
    if (id === null) return false;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const found = this.#find(program);
    this.#remember(id, found);
    found.catch(() => this.#known.delete(id));
    return found;
  }

  /** Records that a started program did not wait, so that it is not tried again. */
  async cannotWait(program: Program): Promise<void> {
    const id = await this.#identify(program);
    if (id !== null) this.#remember(id, Promise.resolve(false));
  }

  #remember(id: string, found: Promise<boolean>): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(id, found);
  }

  /** Returns the identity of a program. A version never changes, but its name may be used again after its removal. */
  async #identify({ runtime, codeDir, entry }: Program): Promise<string | null> {
    const stat = await orNull(lstat(join(codeDir, entry), { bigint: true }));
    if (stat === null || !stat.isFile()) return null;
    return [runtime, codeDir, entry, stat.ino, stat.size, stat.ctimeNs].join('\0');
  }

  #find(program: Program): Promise<boolean> {
    const warm = findRuntime(program.runtime)?.descriptor.warm;
    if (warm === undefined) return Promise.resolve(false);
    return warm.kind === 'compiled' ? binaryWaits(join(program.codeDir, program.entry)) : scriptWaits(program, warm);
  }
}
