import { access, constants, realpath, stat } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import type { NamedInterpreter } from '../../../contract/custom-bot.ts';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import type { AllowedInterpreter, NewInterpreter } from '../../../contract/interpreters.ts';
import { errorText, systemErrorCode } from '../../../node/system-error.ts';
import { didYouMean } from '../../../shared/did-you-mean.ts';

/** An interpreter as settings.json keeps it, by its name. */
export interface StoredInterpreter {
  /** Absolute, and without links. */
  readonly path?: string | undefined;
  readonly image?: string | undefined;
}

export interface AllowedInterpretersOptions {
  readonly stored: Readonly<Record<string, StoredInterpreter>>;
  /** Folders to which programs of bots write: nothing in them is an interpreter. */
  readonly closed: readonly string[];
  /** Folders in which a name is looked for, the first ones first. */
  readonly searchPath: string;
  readonly save: (stored: Readonly<Record<string, StoredInterpreter>>) => Promise<void>;
}

/** Programs that do what the name says by which they were called; the host calls a file by its own name. */
const BY_THEIR_NAME = new Set(['busybox', 'toybox', 'coreutils']);
const WRITABLE_FOR_ALL = 0o002;
/** Of a program that runs as its owner or group (setuid, setgid). */
const RIGHTS_OF_OTHERS = 0o6000;
/** In such a folder nobody replaces files of others. */
const STICKY = 0o1000;

function unusable(name: string, why: string, hint: string): PlatformError {
  return new PlatformError('INTERPRETER_UNUSABLE', `The interpreter ${name} cannot be used: ${why}`, { hint });
}

const allowAgain = (name: string): string =>
  `Correct that, or have an owner of the host choose another file: \`platform interpreters allow ${name} --path FILE\`.`;

async function isReplaceable(path: string): Promise<string | null> {
  if (process.platform === 'win32') return null;
  for (let at = path; ; at = dirname(at)) {
    const { mode } = await stat(at);
    if ((mode & WRITABLE_FOR_ALL) !== 0 && (mode & STICKY) === 0) return at;
    if (dirname(at) === at) return null;
  }
}

/** Why a file, which has no links in its path, is no interpreter; null for one that is. */
async function faultOf(path: string, closed: readonly string[]): Promise<string | null> {
  try {
    const there = await realpath(path);
    if (there !== path) return `${path} leads to ${there}, which is another file than the one that was allowed`;
    const holder = closed.find((folder) => {
      const inside = relative(folder, path);
      return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
    });
    if (holder !== undefined) return `${path} lies in ${holder}, where programs of bots may put files`;
    const found = await stat(path);
    if (!found.isFile()) return `${path} is not a file`;
    if ((found.mode & RIGHTS_OF_OTHERS) !== 0) return `${path} runs with the rights of another user or group`;
    await access(path, constants.X_OK);
    const open = await isReplaceable(path);
    return open === null ? null : `every user of this machine can write to ${open}, and so replace it`;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return `${path} is not there`;
    if (code === 'EACCES') return `${path} is not executable for the user who runs the host`;
    return `${path} cannot be looked at: ${errorText(error)}`;
  }
}

/**
 * The interpreters that an owner of the host allows, by name. A package names one of them and never a file, so that no way of
 * writing a path leads around the list; the host runs the file that the owner has chosen, found without following links again.
 */
export class AllowedInterpreters {
  readonly #options: AllowedInterpretersOptions;
  readonly #closed: Promise<readonly string[]>;
  #stored: ReadonlyMap<string, StoredInterpreter>;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: AllowedInterpretersOptions) {
    this.#options = options;
    this.#stored = new Map(Object.entries(options.stored));
    this.#closed = Promise.all(options.closed.map((folder) => realpath(folder).catch(() => folder)));
  }

  /** By name. */
  list(): AllowedInterpreter[] {
    const names = [...this.#stored.keys()].sort();
    return names.map((name) => this.#shown(name, this.#stored.get(name) ?? {}));
  }

  /** As settings.json keeps them. */
  stored(): Readonly<Record<string, StoredInterpreter>> {
    return Object.fromEntries(this.#stored);
  }

  /** Throws INTERPRETER_NOT_ALLOWED for an interpreter, or an image of it, that is not on the list. */
  check({ interpreter, image }: NamedInterpreter): StoredInterpreter {
    const found = this.#stored.get(interpreter);
    if (found === undefined) throw this.#notAllowed(interpreter, image);
    if (image === undefined || image === found.image) return found;
    const instead = found.image === undefined ? 'that of the runtime alone' : `${found.image} alone`;
    throw new PlatformError(
      'INTERPRETER_NOT_ALLOWED',
      `This host runs ${interpreter} in the image ${instead}, and the package names ${image}`,
      { hint: `${askOwner(interpreter, image)} Or leave command.image out of bot-config.yaml.` },
    );
  }

  /** The file that runs on this machine. Throws as `check`, and INTERPRETER_UNUSABLE where it is not what was allowed. */
  async fileOf(command: NamedInterpreter): Promise<string> {
    const { interpreter } = command;
    const { path, image } = this.check(command);
    if (path === undefined) {
      const why = `it is allowed in containers alone (${image ?? 'the image of the runtime'})`;
      const hint = `Run the bot on an engine with containers (options.engine), or have an owner allow it on this machine, too: \`platform interpreters allow ${interpreter}\`.`;
      throw unusable(interpreter, why, hint);
    }
    const fault = await faultOf(path, await this.#closed);
    if (fault !== null) throw unusable(interpreter, fault, allowAgain(interpreter));
    return path;
  }

  /** The image in which containers run it; null: that of the runtime. Throws as `check`. */
  imageOf(command: NamedInterpreter): string | null {
    return this.check(command).image ?? null;
  }

  /** Allows an interpreter, or adds to what is allowed of it. Throws INVALID_REQUEST, or INTERPRETER_UNUSABLE. */
  allow({ name, path, image }: NewInterpreter): Promise<AllowedInterpreter> {
    return this.#change(async () => {
      const found = path === undefined && image !== undefined ? undefined : await this.#fileFor(name, path);
      const before = this.#stored.get(name) ?? {};
      const next = { path: found ?? before.path, image: image ?? before.image };
      await this.#store(new Map([...this.#stored, [name, next]]));
      return this.#shown(name, next);
    });
  }

  /** Takes an interpreter from the list. Throws INVALID_REQUEST where it is not on it. */
  remove(name: string): Promise<void> {
    return this.#change(async () => {
      if (!this.#stored.has(name)) {
        const hint = 'Nothing has to be done. `platform interpreters list` shows the list.';
        throw invalid('INVALID_REQUEST', [{ path: 'interpreter', message: `${name} is not on the list`, hint }]);
      }
      await this.#store(new Map([...this.#stored].filter(([one]) => one !== name)));
    });
  }

  #change<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  async #store(next: ReadonlyMap<string, StoredInterpreter>): Promise<void> {
    await this.#options.save(Object.fromEntries(next));
    this.#stored = next;
  }

  async #fileFor(name: string, given: string | undefined): Promise<string> {
    if (given !== undefined && (!isAbsolute(given) || normalize(given) !== given)) {
      const hint = 'Write it from the root, without "." and "..", for example /usr/bin/awk.';
      throw invalid('INVALID_REQUEST', [{ path: 'path', message: `${given} is not a plain absolute path`, hint }]);
    }
    const file = given ?? (await this.#search(name));
    // A file that is not there is told of below, in the same words as at a start.
    const path = await realpath(file).catch(() => file);
    if (BY_THEIR_NAME.has(basename(path)) && basename(path) !== name) {
      const hint = `Install ${name} as a program of its own, or allow ${basename(path)} and name ${name} in command.arguments.`;
      throw unusable(name, `${file} is ${path}, which does other things under its own name`, hint);
    }
    const fault = await faultOf(path, await this.#closed);
    if (fault !== null) throw unusable(name, fault, `Give another file: --path FILE.`);
    return path;
  }

  /** Relative folders of the search path lead elsewhere from elsewhere, so they do not count. */
  async #search(name: string): Promise<string> {
    const folders = this.#options.searchPath.split(delimiter).filter(isAbsolute);
    for (const folder of folders) {
      const file = join(folder, process.platform === 'win32' && !name.includes('.') ? `${name}.exe` : name);
      const found = await stat(file).catch(() => null);
      if (found?.isFile() === true) return file;
    }
    const hint = `Install it, or say where it is: \`platform interpreters allow ${name} --path FILE\`. For containers alone: --image NAME.`;
    throw unusable(name, `no program of this name was found on this machine`, hint);
  }

  #notAllowed(name: string, image?: string): PlatformError {
    const names = [...this.#stored.keys()].sort();
    const meant = didYouMean(name, names);
    const instead = meant === null ? '' : ` It allows ${meant}: names are told apart by capital letters, too.`;
    return new PlatformError('INTERPRETER_NOT_ALLOWED', `This host does not let bots run with ${name}`, {
      hint: `${askOwner(name, image)}${instead}`,
      details: { allowed: names },
    });
  }

  #shown(name: string, { path, image }: StoredInterpreter): AllowedInterpreter {
    return { name, path: path ?? null, on_machine: path !== undefined, image: image ?? null };
  }
}

const askOwner = (name: string, image?: string): string =>
  `An owner of the host allows it in the dashboard (Settings, Engines) or with \`platform interpreters allow ${name}${image === undefined ? '' : ` --image ${image}`}\`; then start the bot.`;
