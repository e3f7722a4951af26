import { delimiter } from 'node:path';
import type { NamedInterpreter } from '../../../contract/custom-bot.ts';
import type { EngineSetting } from '../../../contract/engine-choices.ts';
import type { IsolationLevel } from '../../../contract/isolation.ts';
import { dataFolderAt } from '../../../node/data-folder.ts';
import { hostIdOf } from '../../../node/host-id.ts';
import { AllowedInterpreters } from '../engine/allowed-interpreters.ts';
import { DockerEngine } from '../engine/docker/docker-engine.ts';
import { sweepChecks } from '../engine/docker/image-check.ts';
import type { Images } from '../engine/docker/images.ts';
import type { Engine, UnitSpec } from '../engine/engine.ts';
import { Engines } from '../engine/engines.ts';
import { searchPath } from '../engine/process/environment.ts';
import { createProcessEngine } from '../engine/process/process-engine.ts';
import { Sandbox } from '../engine/process/sandbox.ts';
import type { WayToGate } from '../engine/way-to-gate.ts';
import { ContainerFeed } from '../feed/container-feed.ts';
import type { HostFlags } from './flags.ts';
import { resourcesDir } from './product-resources.ts';
import { writeSettings } from './settings.ts';

/** Settings and services from which engines are built. */
export interface EngineParts {
  readonly dataDir: string;
  readonly flags: Pick<HostFlags, 'dockerHost' | 'images' | 'interpreters' | 'keyFolder'>;
  /** Engine setting for bots that name no engine. */
  readonly setting: EngineSetting;
  /** Returns the least isolation, by the level of the engine that the setting names; null if it names none. */
  readonly leastFor: (named: IsolationLevel | null) => IsolationLevel;
  /** Base URL of the host, once it listens. */
  readonly hostUrl: () => string;
  /** The way to the gate of the programs of a bot. */
  readonly gateWay: (botId: string) => Promise<WayToGate>;
  /** True for a bot whose network mode is `enforce`. */
  readonly enforces: (botId: string) => boolean;
  /** Adds a message to the log of the unit's bot. */
  readonly notice: (spec: UnitSpec, message: string) => void;
  /** Output of a bot that may wait to be stored before the bot is paused, in bytes. */
  readonly pauseAtBytes: () => number;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
  readonly shutdown: { add(step: () => void | Promise<void>): void };
  /** Replaces the usual engines. */
  readonly choose?: (processEngine: Engine) => readonly Engine[];
}

interface BuiltEngines {
  readonly engines: Engines;
  readonly images: Images;
  readonly interpreters: AllowedInterpreters;
  readonly least: IsolationLevel;
}

function buildInterpreters(dataDir: string, { interpreters, keyFolder }: EngineParts['flags']): AllowedInterpreters {
  return new AllowedInterpreters({
    stored: interpreters,
    closed: [dataDir, keyFolder],
    // First where bots look, because a search path of the host may begin with programs of packages, such as those of npm.
    searchPath: `${searchPath()}${delimiter}${process.env.PATH ?? ''}`,
    save: (stored) => writeSettings(dataDir, { interpreters: Object.keys(stored).length === 0 ? null : stored }),
  });
}

/** Builds the engines of a host: containers where Docker answers, and local processes, on Linux also in a sandbox. They are closed at shutdown. */
export async function buildEngines(parts: EngineParts): Promise<BuiltEngines> {
  await sweepChecks(parts.dataDir);
  const runnersDir = `${resourcesDir}/runners`;
  const hostId = hostIdOf(parts.dataDir);
  const folder = dataFolderAt(parts.dataDir);
  const interpreters = buildInterpreters(parts.dataDir, parts.flags);
  const stateDir = (botId: string): string => folder.bot(botId).state;
  const local = {
    runnersDir,
    stateDir,
    botsDir: folder.bots,
    owner: hostId,
    report: parts.onError,
    notice: parts.notice,
    pauseAtBytes: parts.pauseAtBytes,
    named: (command: NamedInterpreter) => interpreters.fileOf(command),
  };
  const processEngine = createProcessEngine(local);
  const sandbox = createProcessEngine({
    ...local,
    way: parts.gateWay,
    enforces: parts.enforces,
    sandbox: new Sandbox(`${resourcesDir}/sandbox`, {
      closed: [folder.root, parts.flags.keyFolder],
      database: folder.controlDatabase,
    }),
  });
  const feed = new ContainerFeed(parts.hostUrl, parts.now, parts.onError);
  parts.shutdown.add(() => feed.close());
  const docker = new DockerEngine({
    address: parts.flags.dockerHost,
    hostId,
    runnersDir,
    stateDir,
    sdkDir: `${resourcesDir}/sdk`,
    workDir: parts.dataDir,
    images: parts.flags.images,
    imageOfNamed: (command) => interpreters.imageOf(command),
    loopbackService: feed,
    report: parts.onError,
    notice: parts.notice,
    pauseAtBytes: parts.pauseAtBytes,
  });
  // Its level is what a trial shows, and the least isolation of the host is judged by it.
  if (process.platform === 'linux') await sandbox.probe();
  const list = parts.choose?.(processEngine) ?? [
    docker,
    ...(process.platform === 'linux' ? [sandbox] : []),
    processEngine,
  ];
  const least = parts.leastFor([...list, docker, sandbox].find(({ name }) => name === parts.setting)?.level ?? null);
  const engines = new Engines(list, parts.setting, least);
  parts.shutdown.add(() => engines.close());
  return { engines, images: docker.images, interpreters, least };
}
