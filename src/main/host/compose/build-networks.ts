import { PlatformError } from '../../../contract/errors.ts';
import type { NetworkPermit } from '../../../contract/permits.ts';
import { folderIdentity } from '../../../node/data-folder-place.ts';
import { BlockedEgress } from '../bots/blocked-egress.ts';
import type { Journal } from '../bots/journal.ts';
import type { LostNetworks } from '../bots/lost-networks.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import { createNetworkStore } from '../control/network-store.ts';
import type { WayToGate } from '../engine/way-to-gate.ts';
import { BotNetworks, type NetworkedBot } from '../gate/bot-networks.ts';
import { GateProcess } from '../gate/gate-process.ts';
import { type HostMasking, hidingNames } from '../gate/host-masking.ts';
import { MaskedNames } from '../gate/masked-names.ts';
import type { Base } from './build-folder-and-log.ts';
import type { Stores } from './build-stores.ts';
import { VERSION } from './product-resources.ts';

interface NetworkParts {
  readonly base: Pick<Base, 'folder' | 'logger' | 'onError' | 'now'>;
  readonly stores: Pick<Stores, 'db' | 'bots'>;
  readonly journal: Journal;
  readonly hostKey: string;
  /** Base URL of the host, once it listens. */
  readonly url: () => string;
  /** Adds a warning to the log of a bot. */
  readonly warn: (botId: string, text: string) => void;
  readonly lostNetworks: Pick<LostNetworks, 'gateAt' | 'gateGone'>;
  /** Secret values of a bot: of its config, and those with which its programs were started. */
  readonly secretsOf: (botId: string) => readonly string[];
  /** True while secrets of a bot cannot be opened. */
  readonly areSealed: (botId: string) => boolean;
  /** The hosts that the version of a bot may reach. */
  readonly permitsOf: (botId: string) => readonly NetworkPermit[];
}

/** Builds the gate of the host and the networks of its bots. */
export function buildNetworks({
  base,
  stores: { db, bots },
  journal,
  hostKey,
  url,
  warn,
  lostNetworks,
  secretsOf,
  areSealed,
  permitsOf,
}: NetworkParts) {
  const { folder, logger, onError, now } = base;
  const names = new MaskedNames({ dir: folder.gate, hostKey, secretsOf });
  const masker = (botId: string): HostMasking => {
    const mask = names.masking(botId);
    return areSealed(botId) ? hidingNames(permitsOf(botId), mask) : mask;
  };
  const blocked = new BlockedEgress({ bots, journal, warn, masker, onError });
  const gate = new GateProcess({
    ...{ dir: folder.gate, folder: folderIdentity(folder.root), hostKey, version: VERSION, onError },
    refused: (refusal) => blocked.record(refusal),
    at: (port, why) => lostNetworks.gateAt(port, why),
    gone: (error) => lostNetworks.gateGone(error),
    back: (failures) => logger.info('the gate runs again', { failures }),
    failed: ({ bot_id, host, why }) => {
      // Called for a line on a socket, as above.
      try {
        if (bots.get(bot_id) !== null) warn(bot_id, masker(bot_id)(why, host));
      } catch (error) {
        onError(`a failed connection of ${bot_id}`, error);
      }
    },
  });
  const networks = new BotNetworks({
    ...{ dir: folder.gate, store: createNetworkStore(db), gate, now, warn, masker, names },
    feed: () => new URL(url()).host,
  });
  return { gate, networks, names };
}

/** The way to the gate of the programs of a bot. Throws BOT_NOT_FOUND, or ENGINE_UNAVAILABLE where there is no gate. */
export async function wayOfBot(
  botId: string,
  bots: Pick<BotStore, 'get'>,
  networks: Pick<BotNetworks, 'way'>,
  unitSpecs: { networked(bot: BotRow): NetworkedBot },
): Promise<WayToGate> {
  const bot = bots.get(botId);
  if (bot === null) throw new PlatformError('BOT_NOT_FOUND', `There is no bot ${botId} any more`);
  return networks.way(unitSpecs.networked(bot));
}
