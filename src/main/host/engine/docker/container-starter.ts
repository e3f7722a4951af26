import type { Container, ContainerInspectInfo } from 'dockerode';
import { PlatformError } from '../../../../contract/errors.ts';
import type { UnitSpec } from '../engine.ts';
import { type DockerConnection, isMissing, refusalOf, SLOW_CALL_TIMEOUT_MS } from './connection.ts';
import { containerName, describeContainer } from './container-create-options.ts';
import { type Removals, removeContainer } from './container-removals.ts';
import type { Images } from './images.ts';
import type { BotNetwork } from './network.ts';
import type { Orphans } from './orphans.ts';
import type { UnitFiles } from './unit-files.ts';

export interface ContainerStarterDeps {
  readonly hostId: string;
  readonly stateDir: (botId: string) => string;
  readonly runnersDir: string;
  readonly sdkDir: string;
  readonly connection: DockerConnection;
  readonly images: Images;
  readonly network: BotNetwork;
  readonly orphans: Orphans;
  readonly removals: Removals;
}

/** Creates and starts the containers of units, and says what it means when the engine refuses or does not answer. */
export class ContainerStarter {
  readonly #deps: ContainerStarterDeps;

  constructor(deps: ContainerStarterDeps) {
    this.#deps = deps;
  }

  /** Creates the container. Repairs, once, what was removed or blocks it (a network, a name in use). */
  async create(spec: UnitSpec, files: UnitFiles, env: Readonly<Record<string, string>>): Promise<Container> {
    this.#deps.orphans.spare(spec.runId);
    for (let attempt = 0; ; attempt++) {
      const image = await this.#deps.images.idOf(spec.runtime, spec.command);
      const network = spec.network === 'none' ? null : await this.#deps.network.ensure();
      try {
        return await this.#deps.connection.call(
          ({ docker, facts }) =>
            docker.createContainer(
              describeContainer(
                spec,
                { ...this.#deps, stateDir: this.#deps.stateDir(spec.botId), image, facts, files, network },
                env,
              ),
            ),
          SLOW_CALL_TIMEOUT_MS,
        );
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal === null) this.#mayBeMade(spec);
        if (refusal === null) throw error;
        if (attempt > 0) throw refused(refusal.message, error);
        if (refusal.status === 409) await this.#clearName(spec);
        else this.#deps.images.forget();
      }
    }
  }

  /** The answer was lost: a container may exist but was not started. A restarted query program clears its name. */
  #mayBeMade(spec: UnitSpec): void {
    if (spec.role === 'bot' || spec.queryRun)
      this.#deps.removals.beginLater(containerName(this.#deps.hostId, spec.runId, spec.role));
  }

  /**
   * Removes the container with the name of a unit: an earlier program of the same role. A running bot is not removed.
   */
  async #clearName(spec: UnitSpec): Promise<void> {
    const name = containerName(this.#deps.hostId, spec.runId, spec.role);
    let info: ContainerInspectInfo;
    try {
      info = await this.#deps.connection.call(({ docker }) => docker.getContainer(name).inspect());
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    if (spec.role === 'bot' && (info.State.Running || info.State.Paused)) {
      throw new PlatformError(
        'ENGINE_UNAVAILABLE',
        'This program of the bot runs already, so a second copy was not started',
        {
          retryAfter: 5,
        },
      );
    }
    await removeContainer(this.#deps.connection, info.Id);
  }

  /** Starts a container. Throws RefusedStart if it certainly does not run. */
  async start(id: string): Promise<void> {
    try {
      await this.#deps.connection.call(({ docker }) => docker.getContainer(id).start(), SLOW_CALL_TIMEOUT_MS);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      throw refused(refusal.message, error);
    }
  }
}

/** The engine refused: the container does not run. */
export class RefusedStart extends PlatformError {}

function refused(message: string, cause: unknown): RefusedStart {
  return new RefusedStart('ENGINE_UNAVAILABLE', `The container engine could not start the bot: ${message.trim()}`, {
    hint: "The message is the engine's own. `platform doctor` looks at the engine and its images.",
    retryAfter: 30,
    cause,
  });
}
