import { posix } from 'node:path';
import type { ContainerCreateOptions } from 'dockerode';
import { interpreterArgs, needsOf } from '../command-line.ts';
import type { UnitLimits, UnitRole, UnitSpec } from '../engine.ts';
import { contractEnvironment, LINUX_ENTRY_BYTES } from '../environment.ts';
import { type DockerFacts, isDirect } from './facts.ts';
import type { UnitFiles } from './unit-files.ts';

/** The port of queries inside a container (wire.md section 5). */
export const QUERY_PORT = 9476;
/** Where the start wrapper and the SDKs lie inside. */
export const RUNTIME_DIR = '/opt/platform';
/** Where the wrapper finds output files and config. */
const SPOOL_DIR = '/run/bot';
const CODE_DIR = '/bot';
/** Where `/bot/result.json` leads (origin.md section 2.3): the code folder itself is never written to. */
export const RESULT_FILE = '/query/run.json';
/** The file descriptor on which a warm query run reports; the wrapper makes it. */
const WARM_FD = 4;

/** Labels by which a host knows its own containers and networks, and leaves all others alone. */
export const LABELS = {
  host: 'bot-platform.host',
  bot: 'bot-platform.bot',
  run: 'bot-platform.run',
  role: 'bot-platform.role',
} as const;

/** What the engine knows beside the spec. */
export interface ContainerSetting {
  /** Id of the data folder's host. */
  readonly hostId: string;
  readonly image: string;
  readonly facts: DockerFacts;
  readonly files: UnitFiles;
  readonly runnersDir: string;
  readonly sdkDir: string;
  /** Name or id of the network of bots; null for a unit without network. */
  readonly network: string | null;
}

/** One name per program, so that the engine itself refuses a second copy. */
export function containerName(hostId: string, runId: string, role: UnitRole): string {
  return `bot-${hostId.slice(0, 12)}-${runId}-${role}`;
}

/** True for a unit that is asked on its port: the query program of a realtime bot, or the bot itself. */
export function servesQueries(spec: UnitSpec): boolean {
  return spec.botType === 'realtime' && !spec.queryRun && spec.network !== 'none';
}

/** What the wrapper exports from a file instead; a shell can do that with names of its own kind only. */
const SECRET = /^(?:BOT_CONFIG|CONFIG|QUERY_PARAMS|QUERY_PARAM_[A-Za-z0-9_]+)$/;

/** The environment, and apart from it what must not stand in the container's description, which others can list. */
export function containerEnvironment(spec: UnitSpec): {
  readonly listed: Record<string, string>;
  readonly secret: Record<string, string>;
} {
  const env = contractEnvironment(spec, {
    join: posix.join,
    delimiter: ':',
    codeDir: CODE_DIR,
    stateDir: '/state',
    resultFile: RESULT_FILE,
    queryResultFile: '/query/result.json',
    home: '/tmp',
    temporary: '/tmp',
    queryPort: servesQueries(spec) ? QUERY_PORT : null,
    python: needsOf(spec.runtime).kind === 'python',
    entryBytes: LINUX_ENTRY_BYTES,
  });
  const warm = spec.warm === true ? { PLATFORM_QUERY_WARM: String(WARM_FD) } : {};
  // Only this machine reaches the bridge, and nobody a bot's loopback.
  const bind = servesQueries(spec) ? { PLATFORM_QUERY_BIND: '0.0.0.0' } : {};
  const entries = Object.entries({ ...env, ...warm, ...bind });
  return {
    listed: Object.fromEntries(entries.filter(([name]) => !SECRET.test(name))),
    secret: Object.fromEntries(entries.filter(([name]) => SECRET.test(name))),
  };
}

const PROGRAMS = { python: 'python3', node: 'node', java: 'java', dotnet: 'dotnet' } as const;

function commandOf(spec: UnitSpec): string[] {
  const needs = needsOf(spec.runtime);
  const program = needs.kind === 'none' ? posix.join(CODE_DIR, spec.entry) : PROGRAMS[needs.kind];
  const args = interpreterArgs(spec, needs, (file) => `${RUNTIME_DIR}/runners/${file}`);
  const mode = spec.warm === true ? 'warm' : 'plain';
  return ['/bin/sh', `${RUNTIME_DIR}/runners/container.sh`, mode, program, ...args];
}

/** What every container of ours is held to, checks of images included (architecture.md, decision 8). */
export function hardened(facts: DockerFacts): NonNullable<ContainerCreateOptions['HostConfig']> {
  return {
    Init: true,
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    LogConfig: { Type: 'none', Config: {} },
    IpcMode: 'private',
    // Files of bots belong to a user of this machine, whatever the engine maps other containers to.
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

/** What an engine is asked to hold a container to: one that is asked for what it cannot do starts nothing. */
export function limitsOf(
  limits: UnitLimits,
  can: DockerFacts['limits'],
): NonNullable<ContainerCreateOptions['HostConfig']> {
  const { memoryMb, cpus, processes, openFiles, temporaryMb } = limits;
  const files = openFiles === undefined ? [] : [{ Name: 'nofile', Soft: openFiles, Hard: openFiles }];
  return {
    // Without swap: a bot that is over its memory ends, and does not slow down the whole machine first.
    ...(memoryMb === undefined || !can.memory ? {} : { Memory: memoryMb * MB, MemorySwap: memoryMb * MB }),
    ...(cpus === undefined || !can.cpu ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
    ...(processes === undefined || !can.processes ? {} : { PidsLimit: processes }),
    Ulimits: [...files, { Name: 'core', Soft: 0, Hard: 0 }],
    Tmpfs: { '/tmp': `rw,noexec,nosuid,nodev,size=${temporaryMb ?? 64}m,mode=1777` },
    ShmSize: 16 * MB,
  };
}

/** The description of a unit's container: everything of wire.md section 4 and architecture.md, decision 8. */
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
        mount(spec.codeDir, CODE_DIR, true),
        mount(setting.runnersDir, `${RUNTIME_DIR}/runners`, true),
        mount(setting.sdkDir, `${RUNTIME_DIR}/sdk`, true),
        mount(spec.stateDir, '/state', spec.queryRun),
        mount(files.answers, '/query', false),
        // Only what is in the files can be changed, also where the host's own user runs inside: no link can take their place.
        mount(files.spool, SPOOL_DIR, true),
        mount(files.stdout, `${SPOOL_DIR}/out`, false),
        mount(files.stderr, `${SPOOL_DIR}/err`, false),
      ],
    },
  };
}
