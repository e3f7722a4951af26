import { PlatformError } from '../../../contract/errors.ts';
import { ENVIRONMENT_OF_ALL } from '../../../runtimes/descriptors.ts';
import type { UnitSpec } from './engine.ts';
import { needsOf } from './runtime-needs.ts';
import { tokenDigest } from './stop-hook.ts';

/** Paths as the program sees them, and how to write them. */
export interface Surroundings {
  /** Joins path segments in the style of the program's system. */
  readonly join: (...parts: string[]) => string;
  /** Between the folders of a search path. */
  readonly delimiter: string;
  readonly codeDir: string;
  /** CODE_MOUNT_DIR: the code, with a `result.json` that leads to the result file of the run. */
  readonly mountDir: string;
  /** The state tree that the program sees: the instance's own, or a view of it in a query run. */
  readonly stateDir: string;
  readonly resultFile: string;
  readonly queryResultFile: string;
  readonly home: string;
  readonly temporary: string;
  /** The folder of the control channel; read only where the spec has a control token. */
  readonly controlDir: string;
  /** Null without an expected query server. */
  readonly queryPort: number | null;
  /** Most bytes of one `NAME=value` on the system. */
  readonly entryBytes: number;
}

function checkEntry(name: string, value: string, entryBytes: number): void {
  if (value.includes('\0')) {
    throw new PlatformError('INVALID_CONFIG', `${name} holds a NUL character, which no program can receive.`, {
      hint: 'Remove the character \\u0000 from the config.',
    });
  }
  const bytes = Buffer.byteLength(name) + 1 + Buffer.byteLength(value);
  if (bytes <= entryBytes) return;
  const kib = Math.ceil(bytes / 1024);
  throw new PlatformError(
    'INVALID_CONFIG',
    `The bot cannot be started: ${name} is ${kib} KiB and this system passes at most ${Math.floor(entryBytes / 1024)} KiB in one environment variable.`,
    {
      hint: 'Make the config smaller: put large data into the bot package or into its state, and only name it in the config.',
    },
  );
}

/** Linux refuses a single `NAME=value` of 32 pages (MAX_ARG_STRLEN). */
export const LINUX_ENTRY_BYTES = 128 * 1024 - 1;

/**
 * The environment that every program gets on any engine (docs/contract/running-bots.md#environment). Throws
 * INVALID_CONFIG for a value that the system cannot pass on.
 */
export function contractEnvironment(spec: UnitSpec, around: Surroundings): Record<string, string> {
  const given = Object.entries(spec.env);
  const stray = given.find(([name]) => name.startsWith('QUERY_') && !spec.queryRun);
  if (stray !== undefined) throw new Error(`${stray[0]} may only be set for a query run`);
  const { BOT_ID = spec.botId, BOT_CONFIG = '{}' } = spec.env;
  const env: Record<string, string> = {
    ...Object.fromEntries(given),
    BOT_ID,
    BOT_CONFIG,
    ID: BOT_ID,
    CONFIG: BOT_CONFIG,
    BOT_TYPE: spec.env.BOT_TYPE ?? spec.botType,
    RUN_ID: spec.runId,
    CODE_MOUNT_DIR: around.mountDir,
    STATE_DIR: around.join(around.stateDir, '.platform'),
    RESULT_FILE: around.resultFile,
    HOME: around.home,
    TMPDIR: around.temporary,
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    ...ENVIRONMENT_OF_ALL,
    ...needsOf(spec.runtime).descriptor.environment?.({ ...around, dir: around.codeDir }),
    ...(around.queryPort === null ? {} : { QUERY_PORT: String(around.queryPort) }),
    ...(around.queryPort === null || spec.queryToken === undefined ? {} : { QUERY_TOKEN: spec.queryToken }),
    ...(spec.controlToken === undefined
      ? {}
      : { CONTROL_DIR: around.controlDir, CONTROL_TOKEN_SHA256: tokenDigest(spec.controlToken) }),
    ...(spec.queryRun ? { QUERY_RESULT_FILE: around.queryResultFile } : {}),
  };
  for (const [name, value] of Object.entries(env)) checkEntry(name, value, around.entryBytes);
  return env;
}
