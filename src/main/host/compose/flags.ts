import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ENGINE_SETTINGS, type EngineSetting } from '../../../contract/engine-choices.ts';
import { invalid } from '../../../contract/errors.ts';
import { DEFAULT_PORT } from '../../../contract/limits.ts';
import { FIXABLE } from '../../../contract/storage-settings.ts';
import { defaultKeyFolder } from '../../../node/config-dir.ts';
import { defaultDataDir } from '../../../node/data-folder.ts';
import { DEFAULT_BACKUPS_KEPT } from '../backup/storage-monitor.ts';
import type { StoredInterpreter } from '../engine/allowed-interpreters.ts';
import { DEFAULT_RETENTION } from '../logs/create-telemetry.ts';
import type { ProjectSetting } from '../projects/openable.ts';
import { readSettings } from './settings.ts';

/** Options of a host: flags over environment over settings over defaults (docs/hosting.md#settings). */
export interface HostFlags {
  readonly dataDir: string;
  readonly port: number;
  /** True for a port that was named, which must be free; if the default one is taken, the host uses the next free one. */
  readonly portFixed: boolean;
  /** Address to listen on; anything but loopback needs TLS or `insecure`. */
  readonly listen: string;
  readonly insecure: boolean;
  readonly tlsKey: string | null;
  readonly tlsCert: string | null;
  /** Limits of the stored log lines of each bot, in days and bytes; whichever is reached first applies. */
  readonly retention: { readonly days: number; readonly bytes: number };
  /** The storage settings that a flag or the environment fixes. */
  readonly fixed: readonly (typeof FIXABLE)[number][];
  /** Daily copies of control.db that are kept. */
  readonly backupsKept: number;
  /** Free space in bytes below which the host stores no more lines; null: chosen by the size of the disk. */
  readonly minFreeBytes: number | null;
  /** Requests that one key may send per second; null: the usual number. */
  readonly requestsPerSecond: number | null;
  /** Engine of bots that name none. */
  readonly engine: EngineSetting;
  /** True when the command line or the environment of this start names the engine. */
  readonly isEngineNamed: boolean;
  /** Address of the container engine; null: DOCKER_HOST, else the usual places. */
  readonly dockerHost: string | null;
  /** Image by canonical runtime id, for runtimes with another than the default. */
  readonly images: Readonly<Record<string, string>>;
  /** Interpreters that packages may name, by name; only settings.json can set them, and this host once it runs. */
  readonly interpreters: Readonly<Record<string, StoredInterpreter>>;
  /** Permission for the editor to open folders of this machine; only settings.json can set it. */
  readonly projects: ProjectSetting;
  /** Bots keep running when the host stops; the next host adopts them. */
  readonly leaveBots: boolean;
  /** The same when the process that started the host dies; otherwise that ends the host and its bots as Ctrl-C does. */
  readonly leaveBotsIfParentDies: boolean;
  /** Keeps the machine from sleeping while the host runs. */
  readonly keepAwake: boolean;
  /** Identity of the data folder's place; null: the system's own. */
  readonly hostIdentity: string | null;
  /** Folder of the keys that seal secrets, absolute. */
  readonly keyFolder: string;
}

function readPort(text: string | undefined, from: string): number | null {
  if (text === undefined || text === '') return null;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw invalid('INVALID_REQUEST', [
    { path: from, message: `"${text}" is not a port`, hint: 'Give a number from 0 to 65535; 0 takes any free port.' },
  ]);
}

function readAmount(text: string | undefined, from: string): number | null {
  if (text === undefined || text === '') return null;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw invalid('INVALID_REQUEST', [
    { path: from, message: `"${text}" is not a whole number above 0`, hint: 'Give a number such as 30.' },
  ]);
}

function readEngine(text: string | undefined, from: string): EngineSetting | null {
  if (text === undefined || text === '') return null;
  const engine = ENGINE_SETTINGS.find((name) => name === text);
  if (engine !== undefined) return engine;
  throw invalid('INVALID_REQUEST', [
    { path: from, message: `"${text}" is no engine`, hint: `Give one of ${ENGINE_SETTINGS.join(', ')}.` },
  ]);
}

/** The identity given by `--host-identity`; null for none. Throws INVALID_REQUEST for an invalid name. */
export function readIdentity(given: string | undefined, env: NodeJS.ProcessEnv): string | null {
  const text = given ?? env.PLATFORM_HOST_IDENTITY;
  if (text === undefined || text === '') return null;
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) return text;
  const path = given === undefined ? 'PLATFORM_HOST_IDENTITY' : '--host-identity';
  const hint = 'Give up to 64 letters, digits, dots, dashes and underscores, for example trading-1.';
  throw invalid('INVALID_REQUEST', [{ path, message: `"${text}" is not a name`, hint }]);
}

const megabytes = (count: number | null): number => (count === null ? DEFAULT_RETENTION.bytes : count * 1024 * 1024);

const OPTIONS = {
  data: { type: 'string' },
  port: { type: 'string' },
  listen: { type: 'string' },
  insecure: { type: 'boolean' },
  'tls-key': { type: 'string' },
  'tls-cert': { type: 'string' },
  'leave-bots': { type: 'boolean' },
  'leave-bots-if-parent-dies': { type: 'boolean' },
  'keep-awake': { type: 'boolean' },
  'retention-days': { type: 'string' },
  'retention-mb': { type: 'string' },
  'rate-limit': { type: 'string' },
  engine: { type: 'string' },
  'docker-host': { type: 'string' },
  'host-identity': { type: 'string' },
  'key-folder': { type: 'string' },
} as const;

function readArgs(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], strict: true, options: OPTIONS }).values;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = `The host takes ${Object.keys(OPTIONS)
      .map((name) => `--${name}`)
      .join(', ')}.`;
    throw invalid('INVALID_REQUEST', [{ path: '', message, hint }]);
  }
}

/** Reads the flags of `platform serve`; throws INVALID_REQUEST that names the invalid one. */
export function parseHostFlags(args: readonly string[], env: NodeJS.ProcessEnv): HostFlags {
  const values = readArgs(args);
  const dataDir = values.data ?? defaultDataDir(env);
  const settings = readSettings(dataDir);
  const port = readPort(values.port, '--port') ?? readPort(env.PLATFORM_PORT, 'PLATFORM_PORT') ?? settings.port ?? null;
  const amount = (flag: 'retention-days' | 'retention-mb', name: string): number | null =>
    readAmount(values[flag], `--${flag}`) ?? readAmount(env[name], name);
  const given = {
    retention_days: amount('retention-days', 'PLATFORM_RETENTION_DAYS'),
    retention_mb: amount('retention-mb', 'PLATFORM_RETENTION_MB'),
  };
  const engine = readEngine(values.engine, '--engine') ?? readEngine(env.PLATFORM_ENGINE, 'PLATFORM_ENGINE');
  return {
    dataDir,
    port: port ?? DEFAULT_PORT,
    portFixed: port !== null && port !== 0,
    listen: values.listen ?? settings.listen ?? '127.0.0.1',
    insecure: values.insecure ?? false,
    tlsKey: values['tls-key'] ?? null,
    tlsCert: values['tls-cert'] ?? null,
    retention: {
      days: given.retention_days ?? settings.retention_days ?? DEFAULT_RETENTION.days,
      bytes: megabytes(given.retention_mb ?? settings.retention_mb ?? null),
    },
    fixed: FIXABLE.filter((name) => given[name] !== null),
    backupsKept: settings.backups_kept ?? DEFAULT_BACKUPS_KEPT,
    minFreeBytes: settings.min_free_mb === undefined ? null : settings.min_free_mb * 1024 * 1024,
    requestsPerSecond:
      readAmount(values['rate-limit'], '--rate-limit') ??
      readAmount(env.PLATFORM_RATE_LIMIT, 'PLATFORM_RATE_LIMIT') ??
      settings.rate_limit ??
      null,
    engine: engine ?? settings.engine ?? 'auto',
    isEngineNamed: engine !== null,
    dockerHost: values['docker-host'] || (settings.docker_host ?? null),
    images: settings.images ?? {},
    interpreters: settings.interpreters ?? {},
    projects: settings.projects ?? 'local',
    leaveBots: values['leave-bots'] ?? false,
    leaveBotsIfParentDies: values['leave-bots-if-parent-dies'] ?? false,
    keepAwake: values['keep-awake'] ?? settings.keep_awake ?? false,
    hostIdentity: readIdentity(values['host-identity'], env),
    keyFolder: resolve(values['key-folder'] || defaultKeyFolder(env)),
  };
}
