/** Limits of the wire (docs/contract/names-and-limits.md#limits). Sizes are bytes, times are as each comment says. */
export const LIMITS = {
  /** Packed package (compressed archive). */
  packageBytes: 256 * 1024 * 1024,
  /** Unpacked package. */
  unpackedBytes: 1024 * 1024 * 1024,
  packageFiles: 50_000,
  /** bot-config.yaml and bot-schema.json, each. */
  metadataFileBytes: 256 * 1024,
  /** Text of a package's file in one answer; a longer file is cut after it. */
  shownFileBytes: 512 * 1024,
  /** Files of a package, or differences of two, that one answer lists. */
  shownFiles: 10_000,
  /** The view of a version: `view/index.html`. */
  viewBytes: 2 * 1024 * 1024,
  /** Instance config as JSON text. */
  configBytes: 256 * 1024,
  configDepth: 64,
  /** One log line; the rest of a longer one follows as lines flagged `continued`. */
  lineBytes: 64 * 1024,
  resultBytes: 1024 * 1024,
  stateKeyBytes: 128,
  stateValueBytes: 10 * 1024 * 1024,
  stateTotalBytes: 1024 * 1024 * 1024,
  queryRequestBytes: 64 * 1024,
  queryResponseBytes: 10 * 1024 * 1024,
  queryTimeoutSec: 30,
  queryTimeoutMaxSec: 120,
  logsDefault: 100,
  logsMax: 1000,
  /** Groups of alike log lines in one answer. */
  logGroups: 100,
  /** Seconds that the trial of a custom bot takes, default and maximum. */
  trialSec: 5,
  trialMaxSec: 30,
  instanceNameChars: 100,
  /** Bots that one panic names. */
  panicBots: 1000,
  /** A file that the editor opens: as JSON text it must fit into one message. */
  projectFileBytes: 256 * 1024,
  /** A file that the editor still shows, read-only. */
  projectShownBytes: 2 * 1024 * 1024,
  /** Files and folders of a project that are listed. */
  projectEntries: 20_000,
  /** Matches that one search returns. */
  projectMatches: 1000,
  /** Any JSON request body that has no limit of its own. */
  requestBytes: 1024 * 1024,
  /** Nesting of any JSON request body; config has its own, smaller limit. */
  requestDepth: 128,
  /** Body of a request without a key: a log-in, which needs no authentication. */
  openRequestBytes: 16 * 1024,
  /** Nesting of a line parsed as JSON; a deeper one is text. */
  lineDepth: 128,
  /** Nesting of a bot's answer to a query, or of a value in its state. */
  answerDepth: 500,
  /** For how long the host remembers the idempotency key of a deployment, milliseconds. */
  deployKeyMs: 7 * 86_400_000,
  deployKeyChars: 128,
  /** For how long a deleted bot can be restored, milliseconds. */
  trashMs: 7 * 86_400_000,
  /** For how long no key makes again what a person deleted, milliseconds. */
  tombstoneMs: 86_400_000,
  /** For how long the stop hook of a bot may run before SIGTERM, milliseconds. */
  stopHookMs: 10_000,
  /** Grace between SIGTERM and SIGKILL, milliseconds. */
  stopGraceMs: 10_000,
  /** Default time-out of a scheduled run, milliseconds. */
  runTimeoutMs: 3_600_000,
} as const;

export const DEFAULT_PORT = 4747;
/** Port on which a realtime bot answers queries where it has its own network. */
export const QUERY_PORT = 9476;

export const CUSTOM_BOT_NAME = /^[a-z0-9][a-z0-9-]{1,48}[a-z0-9]$/;
export const VERSION = /^\d+\.\d+\.\d+$/;
/** The name of an interpreter: no path, and nothing that a program could take for an option. */
export const INTERPRETER_NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
/** The name of a container image. */
export const IMAGE_NAME = /^[a-z0-9][A-Za-z0-9._/:@-]{0,254}$/;
/** Text without control characters, and without the separators that some programs take for a line break. */
export const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;

/** Numeric order of two `<major>.<minor>.<patch>` texts: negative, zero or positive. Any number of digits. */
export function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(BigInt);
  const right = b.split('.').map(BigInt);
  for (let i = 0; i < 3; i++) {
    const x = left[i] ?? 0n;
    const y = right[i] ?? 0n;
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}
