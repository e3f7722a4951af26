import type { EngineSetting } from '../../../contract/engine-choices.ts';
import type { IsolationLevel } from '../../../contract/isolation.ts';
import { dataFolderAt } from '../../../node/data-folder.ts';
import { hostIdOf } from '../../../node/host-id.ts';
import { DockerEngine } from '../engine/docker/docker-engine.ts';
import { sweepChecks } from '../engine/docker/image-check.ts';
import type { Images } from '../engine/docker/images.ts';
import type { Engine, UnitSpec } from '../engine/engine.ts';
import { Engines } from '../engine/engines.ts';
import { createProcessEngine } from '../engine/process/process-engine.ts';
import { ContainerFeed } from '../feed/container-feed.ts';
import type { HostFlags } from './flags.ts';
import { resourcesDir } from './resources.ts';

/** What engines are built from. */
export interface EngineParts {
  readonly dataDir: string;
  readonly flags: Pick<HostFlags, 'dockerHost' | 'images'>;
  /** What runs a bot that asks for no engine. */
  readonly setting: EngineSetting;
  /** The least isolation, by the level of the engine that the setting names; null: it names none. */
  readonly leastFor: (named: IsolationLevel | null) => IsolationLevel;
  /** Base URL of the host, once it listens. */
  readonly hostUrl: () => string;
  /** What belongs into a bot's log. */
  readonly notice: (spec: UnitSpec, message: string) => void;
  /** Output of a bot that may wait to be stored before the bot is paused, in bytes. */
  readonly pauseAtBytes: () => number;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
  readonly shutdown: { add(step: () => void | Promise<void>): void };
  /** Other engines in place of the usual ones. */
  readonly choose?: (processEngine: Engine) => readonly Engine[];
}

interface BuiltEngines {
  readonly engines: Engines;
  readonly images: Images;
  readonly least: IsolationLevel;
}

/** The engines of a host: containers where Docker answers, and local processes. They are let go of at shutdown. */
export async function buildEngines(p: EngineParts): Promise<BuiltEngines> {
  await sweepChecks(p.dataDir);
  const runnersDir = `${resourcesDir}/runners`;
  const hostId = hostIdOf(p.dataDir);
  const folder = dataFolderAt(p.dataDir);
  const stateDir = (botId: string): string => folder.bot(botId).state;
  const processEngine = createProcessEngine({
    runnersDir,
    stateDir,
    botsDir: folder.bots,
    owner: hostId,
    report: p.onError,
    notice: p.notice,
    pauseAtBytes: p.pauseAtBytes,
  });
  const feed = new ContainerFeed(p.hostUrl, p.now, p.onError);
  p.shutdown.add(() => feed.close());
  const docker = new DockerEngine({
    address: p.flags.dockerHost,
    hostId,
    runnersDir,
    stateDir,
    sdkDir: `${resourcesDir}/sdk`,
    workDir: p.dataDir,
    images: p.flags.images,
    loopbackService: feed,
    report: p.onError,
    notice: p.notice,
    pauseAtBytes: p.pauseAtBytes,
  });
  const list = p.choose?.(processEngine) ?? [docker, processEngine];
  const least = p.leastFor([...list, docker].find(({ name }) => name === p.setting)?.level ?? null);
  const engines = new Engines(list, p.setting, least);
  p.shutdown.add(() => engines.close());
  return { engines, images: docker.images, least };
}
