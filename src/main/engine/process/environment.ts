import { delimiter, join } from 'node:path';
import { PlatformError } from '../../../contract/errors.ts';
import type { UnitSpec } from '../engine.ts';
import type { RunFiles } from './run-files.ts';

/** What the engine decides about a program's surroundings, beside its spec. */
export interface Surroundings {
  readonly files: RunFiles;
  /** The state folder the program sees: the instance's own, or a copy in a query run. */
  readonly stateDir: string;
  /** Null where no query server is expected. */
  readonly queryPort: number | null;
  /** Folders in front of PATH: where the interpreter lives. */
  readonly pathDirs: readonly string[];
  readonly python: boolean;
  /** Where a program reports that it waits for its question; null for all others. */
  readonly warmFd: number | null;
}

const POSIX_PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin'];
const MAC_PATH = ['/opt/homebrew/bin', ...POSIX_PATH];

/** Linux refuses a single `NAME=value` of 32 pages (MAX_ARG_STRLEN), Windows one of 32,767 characters. */
const ENTRY_BYTES = process.platform === 'win32' ? 32_766 : 128 * 1024 - 1;

/** Windows programs cannot open a socket or find their libraries without these. */
function windowsBase(): Record<string, string> {
  if (process.platform !== 'win32') return {};
  const root = process.env.SystemRoot ?? 'C:\\Windows';
  return { SystemRoot: root, windir: root, PATHEXT: '.COM;.EXE;.BAT;.CMD' };
}

function searchPath(first: readonly string[]): string {
  const root = process.env.SystemRoot ?? 'C:\\Windows';
  const common =
    process.platform === 'win32'
      ? [join(root, 'System32'), root]
      : process.platform === 'darwin'
        ? MAC_PATH
        : POSIX_PATH;
  return [...new Set([...first, ...common])].join(delimiter);
}

function checkEntry(name: string, value: string): void {
  if (value.includes('\0')) {
    throw new PlatformError('INVALID_CONFIG', `${name} holds a NUL character, which no program can receive.`, {
      hint: 'Remove the character \\u0000 from the config.',
    });
  }
  const bytes = Buffer.byteLength(name) + 1 + Buffer.byteLength(value);
  if (bytes <= ENTRY_BYTES) return;
  const kib = Math.ceil(bytes / 1024);
  throw new PlatformError(
    'INVALID_CONFIG',
    `The bot cannot be started: ${name} is ${kib} KiB and this system passes at most ${Math.floor(ENTRY_BYTES / 1024)} KiB in one environment variable.`,
    {
      hint: 'Make the config smaller: put large data into the bot package or into its state, and only name it in the config.',
    },
  );
}

/**
 * The whole environment of a program (wire.md section 4): nothing of the host's own environment is in it. Throws
 * INVALID_CONFIG for a value the OS cannot pass on.
 */
export function botEnvironment(spec: UnitSpec, around: Surroundings): Record<string, string> {
  const { files } = around;
  const given = Object.entries(spec.env);
  const stray = given.find(([name]) => name.startsWith('QUERY_') && !spec.queryRun);
  if (stray !== undefined) throw new Error(`${stray[0]} may only be set for a query run`);
  const { BOT_ID = spec.botId, BOT_CONFIG = '{}' } = spec.env;
  const env: Record<string, string> = {
    ...windowsBase(),
    ...Object.fromEntries(given),
    BOT_ID,
    BOT_CONFIG,
    ID: BOT_ID,
    CONFIG: BOT_CONFIG,
    BOT_TYPE: spec.env.BOT_TYPE ?? spec.botType,
    RUN_ID: spec.runId,
    CODE_MOUNT_DIR: spec.codeDir,
    STATE_DIR: join(around.stateDir, '.platform'),
    RESULT_FILE: files.result,
    HOME: files.home,
    TMPDIR: files.temporary,
    PATH: searchPath(around.pathDirs),
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    PYTHONUNBUFFERED: '1',
    ...(process.platform === 'win32' ? { TEMP: files.temporary, TMP: files.temporary, USERPROFILE: files.home } : {}),
    ...(around.python
      ? { PYTHONPATH: [join(spec.codeDir, 'vendor'), spec.codeDir].join(delimiter), PYTHONDONTWRITEBYTECODE: '1' }
      : {}),
    ...(around.queryPort === null ? {} : { QUERY_PORT: String(around.queryPort) }),
    ...(spec.queryRun ? { QUERY_RESULT_FILE: files.queryResult } : {}),
    ...(around.warmFd === null ? {} : { PLATFORM_QUERY_WARM: String(around.warmFd) }),
  };
  for (const [name, value] of Object.entries(env)) checkEntry(name, value);
  return env;
}

/** Entries by which members of this unit's tree are told from all other processes: run and role. */
export function treeMarker(spec: UnitSpec, files: RunFiles): readonly string[] {
  return [`RUN_ID=${spec.runId}`, `RESULT_FILE=${files.result}`];
}
