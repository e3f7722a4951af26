import { delimiter, join } from 'node:path';
import type { UnitSpec } from '../engine.ts';
import { contractEnvironment, LINUX_ENTRY_BYTES } from '../environment.ts';
import type { RunFiles } from './run-files.ts';

/** The engine's part of a program's surroundings, beside its spec. */
export interface Surroundings {
  readonly files: RunFiles;
  /** CODE_MOUNT_DIR. */
  readonly mountDir: string;
  /** The state folder the program sees: the instance's own, or a copy in a query run. */
  readonly stateDir: string;
  /** Null without an expected query server. */
  readonly queryPort: number | null;
  /** Folders in front of PATH: where the interpreter lives. */
  readonly pathDirs: readonly string[];
  /** Id of the data folder that the program belongs to; null where there is none. */
  readonly owner: string | null;
  /** File descriptor on which a program reports that it waits for its question; null for all others. */
  readonly warmFd: number | null;
}

/** Entry that distinguishes the programs of a data folder from those of the folder that it was copied from. */
export const OWNER_MARK = 'PLATFORM_HOST';

/** Entry of programs in the sandbox: the level of their isolation. */
export const SANDBOX_MARK = 'PLATFORM_SANDBOX';

const POSIX_PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin'];
const MAC_PATH = ['/opt/homebrew/bin', ...POSIX_PATH];

/** Windows refuses a single `NAME=value` of 32,767 characters. */
const WINDOWS_ENTRY_BYTES = 32_766;

/** Windows programs cannot open a socket or find their libraries without these. */
function windowsBase(): Record<string, string> {
  if (process.platform !== 'win32') return {};
  const root = process.env.SystemRoot ?? 'C:\\Windows';
  return { SystemRoot: root, windir: root, PATHEXT: '.COM;.EXE;.BAT;.CMD' };
}

/** A search path of these folders and those with the programs of the system, which every bot has. */
export function searchPath(first: readonly string[] = []): string {
  const root = process.env.SystemRoot ?? 'C:\\Windows';
  const common =
    process.platform === 'win32'
      ? [join(root, 'System32'), root]
      : process.platform === 'darwin'
        ? MAC_PATH
        : POSIX_PATH;
  return [...new Set([...first, ...common])].join(delimiter);
}

/**
 * The whole environment of a program: nothing of the host's own environment is in it. Throws INVALID_CONFIG for a value
 * the OS cannot pass on.
 */
export function botEnvironment(spec: UnitSpec, around: Surroundings): Record<string, string> {
  const { files } = around;
  const windows = process.platform === 'win32';
  const own = {
    ...windowsBase(),
    PATH: searchPath(around.pathDirs),
    ...(windows ? { TEMP: files.temporary, TMP: files.temporary, USERPROFILE: files.home } : {}),
    ...(around.owner === null ? {} : { [OWNER_MARK]: around.owner }),
    ...(around.warmFd === null ? {} : { PLATFORM_QUERY_WARM: String(around.warmFd) }),
  };
  const places = {
    join,
    delimiter,
    codeDir: spec.code.dir,
    mountDir: around.mountDir,
    stateDir: around.stateDir,
    resultFile: files.result,
    queryResultFile: files.queryResult,
    home: files.home,
    temporary: files.temporary,
    controlDir: files.control,
    queryPort: around.queryPort,
    entryBytes: windows ? WINDOWS_ENTRY_BYTES : LINUX_ENTRY_BYTES,
  };
  return { ...contractEnvironment(spec, places), ...own };
}

/** Entries that mark the members of this unit's process tree: run and role. */
export function treeMarker(spec: UnitSpec, files: RunFiles): readonly string[] {
  return [`RUN_ID=${spec.runId}`, `RESULT_FILE=${files.result}`];
}
