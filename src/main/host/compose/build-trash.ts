import { systemClock } from '../../../node/clock.ts';
import { Tombstones } from '../bots/tombstones.ts';
import { Trash, type TrashDeps } from '../bots/trash.ts';
import { createTombstoneStore } from '../control/tombstone-store.ts';
import type { Stores } from './build-stores.ts';

/** Builds the trash of deleted bots, and what keeps keys from making again what a person deleted. */
export function buildTrash(
  { db, bots, hostKey }: Stores,
  parts: Omit<TrashDeps, 'bots' | 'tombstones' | 'steady'>,
): Trash {
  const tombstones = new Tombstones({ store: createTombstoneStore(db), hostKey, now: parts.now });
  return new Trash({ ...parts, bots, tombstones, steady: systemClock.monotonic });
}
