import { posix } from 'node:path';
import type { ContainerCreateOptions } from 'dockerode';
import { knownInterpreter } from '../../../../runtimes/descriptors.ts';
import type { UnitLimits, UnitRole, UnitSpec } from '../engine.ts';
import { contractEnvironment, LINUX_ENTRY_BYTES } from '../environment.ts';
import { namedIn } from '../named-interpreter.ts';
import { interpreterArgs } from '../program-arguments.ts';
import { needsOf } from '../runtime-needs.ts';
import { type DockerFacts, isDirect } from './facts.ts';
import type { UnitFiles } from './unit-files.ts';

/** The port of queries inside a container (docs/writing-bots.md#queries). */
export const QUERY_PORT = 9476;
/** Folder of the start wrapper and the SDKs inside. */
export const RUNTIME_DIR = '/opt/platform';
/** Folder of output files and config for the wrapper. */
const SPOOL_DIR = '/run/bot';
const CODE_DIR = '/bot';
/** Target of `/bot/result.json`: the code folder itself is read-only. */
export const RESULT_FILE = '/query/run.json';
/** The file descriptor on which a warm query run reports; the wrapper opens it. */
const WARM_FD = 4;

/** Labels by which a host knows its own containers and networks, and leaves all others alone. */
export const LABELS = {
  host: 'bot-platform.host',
  bot: 'bot-platform.bot',
  run: 'bot-platform.run',
  role: 'bot-platform.role',
} as const;

/** The engine's settings beside the spec. */
export interface ContainerSetting {
  /** Id of the data folder's host. */
  readonly hostId: string;
  readonly image: string;
  readonly facts: DockerFacts;
  readonly files: UnitFiles;
  /** Folder with the state of the bot. */
  readonly stateDir: string;
  readonly runnersDir: string;
  readonly sdkDir: string;
  /** Name or id of the network of bots; null for a unit without network. */
  readonly network: string | null;
}

/** One name per program, so that the engine itself refuses a second copy. */
export function containerName(hostId: string, runId: string, role: UnitRole): string {
  return `bot-${hostId.slice(0, 12)}-${runId}-${role}`;
}

/** True for a unit that answers on its port: the query program of a realtime bot, or the bot itself. */
export function servesQueries(spec: UnitSpec): boolean {
  return spec.botType === 'realtime' && !spec.queryRun && spec.network !== 'none';
}

/** Variables that the wrapper exports from a file instead; shells can export only names of this kind. */
const SECRET = /^(?:BOT_CONFIG|CONFIG|QUERY_TOKEN|QUERY_PARAMS|QUERY_PARAM_[A-Za-z0-9_]+)$/;

/** The environment, and separately what must not be in the container's description, which others can list. */
export function containerEnvironment(spec: UnitSpec): {
  readonly listed: Record<string, string>;
  readonly secret: Record<string, string>;
} {
  const env = contractEnvironment(spec, {
    join: posix.join,
    delimiter: ':',
    codeDir: CODE_DIR,
    mountDir: CODE_DIR,
    stateDir: '/state',
    resultFile: RESULT_FILE,
    queryResultFile: '/query/result.json',
    home: '/tmp',
    temporary: '/tmp',
    controlDir: SPOOL_DIR,
    queryPort: servesQueries(spec) ? QUERY_PORT : null,
    entryBytes: LINUX_ENTRY_BYTES,
  });
  const warm = spec.warm === true ? { PLATFORM_QUERY_WARM: String(WARM_FD) } : {};
  // Only this machine reaches the bridge; a bot's loopback is out of everyone's reach.
  const bind = servesQueries(spec) ? { PLATFORM_QUERY_BIND: '0.0.0.0' } : {};
  const entries = Object.entries({ ...env, ...warm, ...bind });
  return {
    listed: Object.fromEntries(entries.filter(([name]) => !SECRET.test(name))),
    secret: Object.fromEntries(entries.filter(([name]) => SECRET.test(name))),
  };
}

function commandOf(spec: UnitSpec): string[] {
  const needs = needsOf(spec.runtime);
  // The image decides which file a name stands for, and nothing of the bot is on its search path.
  const named = namedIn(needs, spec.command)?.interpreter ?? knownInterpreter(needs.descriptor)?.program;
  const program = named ?? posix.join(CODE_DIR, spec.entry);
  const args = interpreterArgs(spec, needs, (file) => `${RUNTIME_DIR}/runners/${file}`);
  const mode = spec.warm === true ? 'warm' : 'plain';
  return ['/bin/sh', `${RUNTIME_DIR}/runners/container.sh`, mode, program, ...args];
}

/** Restrictions of every container that a host makes, checks of images included: bots need none of these rights. */
export function hardened(facts: DockerFacts): NonNullable<ContainerCreateOptions['HostConfig']> {
  return {
    Init: true,
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    LogConfig: { Type: 'none', Config: {} },
    IpcMode: 'private',
    // Files of bots belong to a user of this machine, whatever mapping the engine uses for other containers.
    ...(facts.userNamespaces ? { UsernsMode: 'host' } : {}),
  };
}

const MB = 1024 * 1024;

function networkMode(spec: UnitSpec, setting: ContainerSetting): string {
  if (setting.network === null) return 'none';
  // Bot and query program share one address, as in one container.
  if (spec.role === 'query' && !spec.queryRun) {
    return `container:${containerName(setting.hostId, spec.runId, 'bot')}`;
  }
  return setting.network;
}

/** The limits to request from the engine, without those it cannot enforce: requesting these would fail the start. */
export function limitsOf(
  limits: UnitLimits,
  can: DockerFacts['limits'],
): NonNullable<ContainerCreateOptions['HostConfig']> {
  const { memoryMb, cpus, processes, openFiles, temporaryMb } = limits;
  const files = openFiles === undefined ? [] : [{ Name: 'nofile', Soft: openFiles, Hard: openFiles }];
  return {
    // No swap: a bot that exceeds its memory ends before it slows down the whole machine.
    ...(memoryMb === undefined || !can.memory ? {} : { Memory: memoryMb * MB, MemorySwap: memoryMb * MB }),
    ...(cpus === undefined || !can.cpu ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
    ...(processes === undefined || !can.processes ? {} : { PidsLimit: processes }),
    Ulimits: [...files, { Name: 'core', Soft: 0, Hard: 0 }],
    Tmpfs: { '/tmp': `rw,noexec,nosuid,nodev,size=${temporaryMb ?? 64}m,mode=1777` },
    ShmSize: 16 * MB,
  };
}

/**
 * The description of a unit's container: the environment of docs/writing-bots.md#what-a-bot-sees under the restrictions
 * of docs/docker.md#what-a-bot-sees.
 */
export function describeContainer(
  spec: UnitSpec,
  setting: ContainerSetting,
  env: Readonly<Record<string, string>>,
): ContainerCreateOptions {
  const { facts, files } = setting;
  const mount = (source: string, target: string, readOnly: boolean) => ({
    Type: 'bind' as const,
    Source: source,
    Target: target,
    ReadOnly: readOnly,
  });
  const mode = networkMode(spec, setting);
  const ownNetwork = !mode.startsWith('container:');
  const published = servesQueries(spec) && ownNetwork && !isDirect(facts);
  const port = `${QUERY_PORT}/tcp`;
  return {
    name: containerName(setting.hostId, spec.runId, spec.role),
    Image: setting.image,
    Entrypoint: [],
    Cmd: commandOf(spec),
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    Labels: {
      [LABELS.host]: setting.hostId,
      [LABELS.bot]: spec.botId,
      [LABELS.run]: spec.runId,
      [LABELS.role]: spec.role,
    },
    User: `${facts.user.uid}:${facts.user.gid}`,
    WorkingDir: CODE_DIR,
    ...(ownNetwork ? { Hostname: 'bot' } : {}),
    StopSignal: 'SIGTERM',
    Tty: false,
    OpenStdin: spec.warm === true,
    StdinOnce: spec.warm === true,
    ...(published ? { ExposedPorts: { [port]: {} } } : {}),
    HostConfig: {
      ...hardened(facts),
      ...limitsOf(spec.limits, facts.limits),
      NetworkMode: mode,
      ...(published ? { PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: '' }] } } : {}),
      Mounts: [
        mount(spec.code.dir, CODE_DIR, true),
        mount(setting.runnersDir, `${RUNTIME_DIR}/runners`, true),
        mount(setting.sdkDir, `${RUNTIME_DIR}/sdk`, true),
        mount(setting.stateDir, '/state', spec.role === 'query'),
        mount(files.answers, '/query', false),
        // Only the files' content is writable, even if the host's own user runs inside: no link can replace them.
        mount(files.spool, SPOOL_DIR, true),
        mount(files.stdout, `${SPOOL_DIR}/out`, false),
        mount(files.stderr, `${SPOOL_DIR}/err`, false),
        ...(spec.role === 'query' ? [] : [mount(files.control.hook, `${SPOOL_DIR}/hook`, false)]),
      ],
    },
  };
}
