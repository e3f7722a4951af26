import { realpathSync, statSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type SandboxTrial, sandboxProblem } from '../../../../contract/sandbox-trial.ts';
import { errorText } from '../../../../node/system-error.ts';
import { trySandbox } from './sandbox-trial.ts';

/** What one program may reach. Paths are absolute. */
export interface SandboxedProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** Search path of the program, for a program without a folder in its name. */
  readonly path: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** `none`: only its query port, if it has one. */
  readonly network: 'open' | 'none';
  readonly queryPort: number | null;
  /** A file descriptor to leave open, beside the first three. */
  readonly keptFd: number | null;
}

/** Folders beside `bin` in which interpreters keep what they load. */
const BESIDE_BIN = ['bin', 'lib', 'lib64', 'libexec', 'conf', 'share'];

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** The file of a program that is looked up as a shell would; null where there is none. */
function fileOf(program: string, path: string): string | null {
  const places = program.includes('/') ? [program] : path.split(':').map((folder) => join(folder, program));
  const found = places.find(isThere);
  return found === undefined ? null : realpathSync(found);
}

/** What a program loads itself from: its file and, of an installation of its own, the folders beside its `bin`. */
export function filesOfProgram(program: string, path: string, home = homedir()): readonly string[] {
  const file = fileOf(program, path);
  if (file === null) return [];
  const root = dirname(dirname(file));
  // `~/bin` is no installation: beside it lies everything.
  if (basename(dirname(file)) !== 'bin' || root === '/' || root === home || home.startsWith(`${root}/`)) return [file];
  return BESIDE_BIN.map((name) => join(root, name)).filter(isThere);
}

/** The programs of the sandbox for this machine (resources/sandbox). */
export class Sandbox {
  readonly #confine: string;
  readonly #library: string;
  readonly #more: readonly string[];
  #trial: Promise<SandboxTrial> | null = null;

  /** `folder`: resources/sandbox; `more`: further arguments of `confine`, for tests. */
  constructor(folder: string, more: readonly string[] = []) {
    const place = join(folder, `linux-${process.arch}`);
    this.#confine = join(place, 'confine');
    this.#library = join(place, 'shared-memory.so');
    this.#more = more;
  }

  /** What holds here, by a trial. One that failed is repeated the next time, so that a remedy helps at once. */
  async trial(): Promise<SandboxTrial> {
    const trial = this.#trial ?? this.#tried();
    this.#trial = trial;
    const found = await trial;
    if (sandboxProblem(found) !== null && this.#trial === trial) this.#trial = null;
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
    return trySandbox(this.#confine, this.#more);
  }

  /** The command line that starts a program inside, and what its environment needs for that. */
  wrap(wish: SandboxedProgram): { program: string; args: readonly string[]; env: Readonly<Record<string, string>> } {
    const reads = new Set([...wish.reads, ...filesOfProgram(wish.program, wish.path), this.#library]);
    const args = [
      ...[...reads].flatMap((path) => ['--read', path]),
      ...wish.writes.flatMap((path) => ['--write', path]),
      ...['--network', wish.network],
      ...(wish.network === 'none' && wish.queryPort !== null ? ['--listen', String(wish.queryPort)] : []),
      ...(wish.keptFd === null ? [] : ['--keep-fd', String(wish.keptFd)]),
      ...this.#more,
      ...['--', wish.program, ...wish.args],
    ];
    return { program: this.#confine, args, env: { LD_PRELOAD: this.#library } };
  }
}
