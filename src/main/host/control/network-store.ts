import { NetworkMode } from '../../../contract/network.ts';
import type { ControlDatabase } from './control-database.ts';

/** The chosen network modes of bots. */
export interface NetworkStore {
  /** Null for a bot for which nobody has chosen one. */
  get(botId: string): NetworkMode | null;
  set(botId: string, mode: NetworkMode, at: number): void;
}

/** NetworkStore over the control database. */
export function createNetworkStore(db: ControlDatabase): NetworkStore {
  const get = db.prepare<[string], { mode: string }>('select mode from bot_network where bot_id = ?');
  const set = db.prepare('insert or replace into bot_network (bot_id, mode, set_at) values (?, ?, ?)');
  return {
    get: (botId) => NetworkMode.nullable().parse(get.get(botId)?.mode ?? null),
    set: (botId, mode, at) => void set.run(botId, mode, at),
  };
}
