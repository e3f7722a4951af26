import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { NETWORK_MODES, NetworkMode } from '../../../contract/network.ts';
import { controlFault } from './control-damage.ts';
import type { ControlDatabase } from './control-database.ts';
import { botNetwork } from './migrations/0030-bot-network.ts';

/** The network modes of a data folder, by the ids of its bots. */
export type HeldNetworks = ReadonlyMap<string, NetworkMode>;

function modesOf(db: ControlDatabase): Map<string, NetworkMode> {
  const rows = db.prepare<[], { bot_id: string; mode: string }>('select bot_id, mode from bot_network').all();
  return new Map(rows.map(({ bot_id, mode }) => [bot_id, NetworkMode.parse(mode)]));
}

/** Reads the modes of a control database before a backup replaces it; none where it is missing, damaged or older than modes. */
export function heldNetworks(file: string): HeldNetworks {
  if (!existsSync(file) || controlFault(file) !== null) return new Map();
  const db = new Database(file, { fileMustExist: true });
  try {
    const known = db.prepare("select 1 from sqlite_master where type = 'table' and name = 'bot_network'").get();
    return known === undefined ? new Map() : modesOf(db);
  } finally {
    db.close();
  }
}

/** Keeps a restore from loosening the network mode of a bot by a backup from before. */
export function keepNetworks(db: ControlDatabase, held: HeldNetworks, now: number): void {
  if (held.size === 0) return;
  // A backup of an earlier release has no place for them; its migration then finds the table.
  db.exec(botNetwork);
  const restored = modesOf(db);
  const put = db.prepare(
    `insert or replace into bot_network (bot_id, mode, set_at)
     select @botId, @mode, @now where exists (select 1 from bot where bot_id = @botId)`,
  );
  for (const [botId, mode] of held) {
    const present = restored.get(botId) ?? 'open';
    if (NETWORK_MODES.indexOf(mode) > NETWORK_MODES.indexOf(present)) put.run({ botId, mode, now });
  }
}
