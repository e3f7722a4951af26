import { PlatformError } from '../../../contract/errors.ts';
import { type Connected, type DockerConnection, isMissing, refusalOf } from './connection.ts';
import { LABELS } from './container.ts';

/**
 * The bridge of one host's bots. Containers on it reach the internet, and neither each other nor the loopback of this
 * machine. What this machine itself offers to its networks they do reach: no bridge prevents that.
 */
export class BotNetwork {
  readonly name: string;
  readonly #connection: DockerConnection;
  readonly #hostId: string;
  #ready: Promise<string> | null = null;

  constructor(connection: DockerConnection, hostId: string) {
    this.#connection = connection;
    this.#hostId = hostId;
    this.name = `bot-platform-${hostId.slice(0, 12)}`;
  }

  /** Its name, once it is there. */
  ensure(): Promise<string> {
    this.#ready ??= this.#make().catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  /** To be called when the engine says that it is not there: somebody removed it. */
  forget(): void {
    this.#ready = null;
  }

  /** Address of this machine on the bridge; null when there is no bridge. */
  async gateway(): Promise<string | null> {
    try {
      const info = await this.#connection.call(({ docker }) => docker.getNetwork(this.name).inspect());
      return info.IPAM?.Config?.[0]?.Gateway ?? null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Removes it unless a container is on it. */
  async release(): Promise<void> {
    this.#ready = null;
    try {
      await this.#connection.call(({ docker }) => docker.getNetwork(this.name).remove());
    } catch (error) {
      // 403: bots go on without this host and keep their network.
      const refusal = refusalOf(error);
      if (refusal?.status !== 404 && refusal?.status !== 403) throw error;
    }
  }

  async #make(): Promise<string> {
    await this.#connection.call((connected) => this.#create(connected));
    return this.name;
  }

  async #create({ docker }: Connected): Promise<void> {
    try {
      await docker.getNetwork(this.name).inspect();
      return;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    try {
      await docker.createNetwork({
        Name: this.name,
        Driver: 'bridge',
        CheckDuplicate: true,
        Options: { 'com.docker.network.bridge.enable_icc': 'false' },
        Labels: { [LABELS.host]: this.#hostId },
      });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      // Another start of this host was quicker.
      if (refusal.status === 409) return;
      throw new PlatformError('ENGINE_UNAVAILABLE', `The network for bots could not be made: ${refusal.message}`, {
        hint: 'Remove networks that nobody uses (docker network prune), or deploy with options.network "none".',
        cause: error,
      });
    }
  }
}
