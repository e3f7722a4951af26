import type { NetworkInspectInfo } from 'dockerode';
import { PlatformError } from '../../../../contract/errors.ts';
import { type Connected, type DockerConnection, refusalOf } from './connection.ts';
import { LABELS } from './container-create-options.ts';

/**
 * The bridge of one host's bots. Containers on it reach the internet, and neither each other nor the loopback of this
 * machine. They do reach what this machine itself offers to its networks: no bridge prevents that.
 */
export class BotNetwork {
  readonly name: string;
  readonly #connection: DockerConnection;
  readonly #hostId: string;
  #looking: Promise<string> | null = null;

  constructor(connection: DockerConnection, hostId: string) {
    this.#connection = connection;
    this.#hostId = hostId;
    this.name = `bot-platform-${hostId.slice(0, 12)}`;
  }

  /** Its id, once it is there: looked for each time, because others can remove it. */
  ensure(): Promise<string> {
    this.#looking ??= this.#connection
      .call(async (connected) => (await this.#find(connected)) ?? this.#create(connected))
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  /** Address of this machine on the bridge; null when there is no bridge. */
  async gateway(): Promise<string | null> {
    const [found] = await this.#connection.call((connected) => this.#list(connected));
    return found?.IPAM?.Config?.[0]?.Gateway ?? null;
  }

  /** Removes it unless a container is on it. */
  async release(): Promise<void> {
    await this.#connection.call(async (connected) => {
      for (const { Id } of await this.#list(connected)) await remove(connected, Id);
    });
  }

  /** The oldest first. An engine lets two hosts make one of the same name, and would then refuse the name to both. */
  async #list({ docker }: Connected): Promise<NetworkInspectInfo[]> {
    const filters = { label: [`${LABELS.host}=${this.#hostId}`] };
    const own = (await docker.listNetworks({ filters })).filter(({ Name }) => Name === this.name);
    return own.sort((a, b) => Date.parse(a.Created) - Date.parse(b.Created) || (a.Id < b.Id ? -1 : 1));
  }

  async #find(connected: Connected): Promise<string | null> {
    const [oldest, ...others] = await this.#list(connected);
    for (const { Id } of others) await remove(connected, Id);
    return oldest?.Id ?? null;
  }

  async #create(connected: Connected): Promise<string> {
    try {
      await connected.docker.createNetwork({
        Name: this.name,
        Driver: 'bridge',
        CheckDuplicate: true,
        Options: { 'com.docker.network.bridge.enable_icc': 'false' },
        Labels: { [LABELS.host]: this.#hostId },
      });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      // 409: another start of this host was quicker.
      if (refusal.status !== 409) throw notMade(refusal.message, error);
    }
    const made = await this.#find(connected);
    if (made === null) throw notMade('another network has its name', null);
    return made;
  }
}

function notMade(why: string, cause: unknown): PlatformError {
  return new PlatformError('ENGINE_UNAVAILABLE', `The network for bots could not be made: ${why}`, {
    hint: 'Remove networks that nobody uses (docker network prune), or deploy with options.network "none".',
    cause,
  });
}

/** Removes a network that nothing uses. */
async function remove({ docker }: Connected, id: string): Promise<void> {
  try {
    await docker.getNetwork(id).remove();
  } catch (error) {
    // 403: bots go on without this host and keep their network.
    const refusal = refusalOf(error);
    if (refusal?.status !== 404 && refusal?.status !== 403) throw error;
  }
}
