import { readdirSync, realpathSync, statSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { PlatformError } from '../../../../contract/errors.ts';
import { type SandboxTrial, sandboxLevel } from '../../../../contract/sandbox-trial.ts';
import { type Clock, systemClock } from '../../../../node/clock.ts';
import { errorText } from '../../../../node/system-error.ts';
import type { WayToGate } from '../way-to-gate.ts';
import { IDENTITY_FD } from './launcher.ts';
import { trySandbox } from './sandbox-trial.ts';

/** `open`: as without a sandbox. `none`: only its query port, if it has one. Else that and the gate. */
export type SandboxNetwork = 'open' | 'none' | WayToGate;

/** The level of a program inside that is started with this network: nothing else that a sandbox lacks lets one start. */
export const levelWith = (network: SandboxNetwork): 'partial' | 'sandbox' =>
  network === 'open' ? 'partial' : 'sandbox';

/** A program as it is started inside. */
export interface SandboxedCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What its supervisor reads from IDENTITY_FD; null for a program that has no gate. */
  readonly identity: string | null;
}

/** What one program may reach. Paths are absolute. */
export interface SandboxedProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** Search path of the program, for a program without a folder in its name. */
  readonly path: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly network: SandboxNetwork;
  readonly queryPort: number | null;
  /** A file descriptor to leave open, beside the first three. */
  readonly keptFd: number | null;
}

/** What a sandbox keeps closed, and how it is tried. */
export interface SandboxOptions {
  /** Folders of the host, absolute: nothing that a program may read holds one of them. */
  readonly closed?: readonly string[];
  /** File of the host that a trial attempts to read. */
  readonly database?: string;
  /** Further arguments of `confine`, for tests. */
  readonly more?: readonly string[];
  readonly clock?: Pick<Clock, 'monotonic'>;
}

/** How long a trial counts in which something failed, but for the first one: what asks next tries again at once. */
export const AGAIN_AFTER_MS = 10_000;

/** Folders beside `bin` in which interpreters keep what they load. */
const BESIDE_BIN = ['bin', 'lib', 'lib64', 'libexec', 'conf'];

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** A path without links; as it is where nothing is there. */
const real = (path: string): string => (isThere(path) ? realpathSync(path) : path);
const holds = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/** The file of a program that is looked up as a shell would; null where there is none. */
function fileOf(program: string, path: string): string | null {
  const places = program.includes('/') ? [program] : path.split(':').map((folder) => join(folder, program));
  const found = places.find(isThere);
  return found === undefined ? null : realpathSync(found);
}

/** Where the packages of distributions put installations of their own. Only they may choose settings in /etc. */
const PACKAGED = '/usr/lib/';

/** The folders in /etc to which files of an installation lead, as those of Java on Debian do. */
function settingsOf(folders: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const at = entry.isSymbolicLink() ? real(join(folder, entry.name)) : '';
      const [, place, inside] = /^(\/etc\/[^/]+)\/(.)/.exec(at) ?? [];
      if (place !== undefined && inside !== undefined && !OF_THE_SYSTEM.has(place)) found.add(place);
    }
  }
  return [...found];
}

/** Folders in /etc with more in them than settings of one program. */
const OF_THE_SYSTEM = new Set(['/etc/ssl', '/etc/pki', '/etc/alternatives']);

/** What a program loads itself from: its file and, of an installation of its own, the folders beside its `bin`. */
export function filesOfProgram(program: string, path: string, home = homedir()): readonly string[] {
  const file = fileOf(program, path);
  if (file === null) return [];
  const root = dirname(dirname(file));
  // `~/bin` is no installation: beside it lies everything. Beside `~/.local/bin` lies what programs of the user keep.
  if (basename(dirname(file)) === 'bin' && root === join(home, '.local'))
    return [file, join(root, 'lib')].filter(isThere);
  if (basename(dirname(file)) !== 'bin' || root === '/' || root === home || home.startsWith(`${root}/`)) return [file];
  const folders = BESIDE_BIN.map((name) => join(root, name)).filter(isThere);
  return [...folders, ...(root.startsWith(PACKAGED) ? settingsOf(folders) : [])];
}

/** The programs of the sandbox for this machine (resources/sandbox). */
export class Sandbox {
  readonly #confine: string;
  readonly #library: string;
  readonly #closed: readonly string[];
  readonly #database: string;
  readonly #more: readonly string[];
  readonly #clock: Pick<Clock, 'monotonic'>;
  #trial: Promise<SandboxTrial> | null = null;
  #judged: Promise<SandboxTrial> | null = null;
  #againAt = Number.POSITIVE_INFINITY;
  #level: 'partial' | 'sandbox' = 'partial';
  #hasFailed = false;
  readonly #onHeld: (() => void)[] = [];

  /** `folder`: resources/sandbox. */
  constructor(folder: string, { closed = [], database = '', more = [], clock = systemClock }: SandboxOptions = {}) {
    const place = join(folder, `linux-${process.arch}`);
    this.#confine = join(place, 'confine');
    this.#library = join(place, 'shared-memory.so');
    this.#closed = closed;
    this.#database = database;
    this.#more = more;
    this.#clock = clock;
  }

  /** By the last trial: `sandbox` where everything held. */
  get level(): 'partial' | 'sandbox' {
    return this.#level;
  }

  /** Calls the listener when a trial shows that everything holds, after one that did not. */
  onHeld(listener: () => void): void {
    this.#onHeld.push(listener);
  }

  /**
   * What holds here, by a trial. One in which something failed counts for some seconds: so a remedy helps soon, and the start of a
   * bot, which asks several times, tries once.
   */
  async trial(): Promise<SandboxTrial> {
    if (this.#trial === null || this.#clock.monotonic() >= this.#againAt) {
      this.#againAt = Number.POSITIVE_INFINITY;
      this.#trial = this.#tried();
    }
    const trial = this.#trial;
    const found = await trial;
    // Whoever asked with others for the same trial finds it judged.
    if (trial !== this.#trial || this.#judged === trial) return found;
    this.#judged = trial;
    this.#level = sandboxLevel(found);
    if (this.#level === 'partial') {
      // The machine may have been busy, as when everything on it starts.
      this.#againAt = this.#clock.monotonic() + (this.#hasFailed ? AGAIN_AFTER_MS : 0);
      this.#hasFailed = true;
    } else if (this.#hasFailed) for (const listener of this.#onHeld) listener();
    return found;
  }

  async #tried(): Promise<SandboxTrial> {
    const untried = (why: string): SandboxTrial => ({
      files: why,
      network: why,
      sockets: why,
      programs: why,
      limits: why,
    });
    if (process.platform !== 'linux') return untried('the sandbox needs Linux');
    try {
      await access(this.#confine, constants.X_OK);
      await access(this.#library, constants.R_OK);
    } catch (error) {
      return untried(`the program of the sandbox cannot be used: ${errorText(error)}`);
    }
    return trySandbox(this.#confine, this.#database, this.#more);
  }

  /** Throws ENGINE_UNAVAILABLE for a path that would lay open what the host keeps to itself. */
  #refuseClosed(given: readonly string[], ofProgram: readonly string[]): void {
    const own = given.map(real);
    for (const path of [...given, ...ofProgram]) {
      const there = real(path);
      const isOwn = own.some((folder) => holds(folder, there));
      const found = this.#closed.map(real).find((at) => holds(there, at) || (!isOwn && holds(at, there)));
      if (found === undefined) continue;
      throw new PlatformError(
        'ENGINE_UNAVAILABLE',
        `In the sandbox this bot could read ${found}, a folder of the host.`,
        {
          hint: `Its program needs ${path}. Install the interpreter elsewhere, or move that folder of the host.`,
        },
      );
    }
  }

  /**
   * The command line that starts a program inside, and what its environment needs for that. Throws ENGINE_UNAVAILABLE
   * where the program or a path of the wish would lay open a folder of the host.
   */
  wrap(wish: SandboxedProgram): SandboxedCommand {
    const ofProgram = filesOfProgram(wish.program, wish.path);
    this.#refuseClosed([...wish.reads, ...wish.writes], ofProgram);
    const reads = new Set([...wish.reads, ...ofProgram, this.#library]);
    const way = typeof wish.network === 'string' ? null : wish.network;
    const args = [
      ...[...reads].flatMap((path) => ['--read', path]),
      ...wish.writes.flatMap((path) => ['--write', path]),
      ...['--network', way === null ? String(wish.network) : 'gate'],
      ...(way === null ? [] : ['--gate', `127.0.0.1:${way.port}`, '--identity-fd', String(IDENTITY_FD)]),
      ...(wish.network !== 'open' && wish.queryPort !== null ? ['--listen', String(wish.queryPort)] : []),
      ...(wish.keptFd === null ? [] : ['--keep-fd', String(wish.keptFd)]),
      ...this.#more,
      ...['--', wish.program, ...wish.args],
    ];
    // The C library takes no answer from the stand-in of a UDP socket, and so has to ask for names by TCP.
    const env = { LD_PRELOAD: this.#library, ...(way === null ? {} : { RES_OPTIONS: 'use-vc' }) };
    return { program: this.#confine, args, env, identity: way?.identity ?? null };
  }
}
