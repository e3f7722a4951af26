import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { NetworkMode } from '../../../../../src/contract/network.ts';
import { createNetworkStore } from '../../../../../src/main/host/control/network-store.ts';
import { heldNetworks, keepNetworks } from '../../../../../src/main/host/control/restored-networks.ts';
import { folderOfRelease, openControl } from '../../../../support/folder-of-release.ts';
import { tempDir } from '../../../../support/temp.ts';

/** The migration that brought network modes. */
const NETWORK_VERSION = 30;

/** A control database with bots of these modes; null for one without. */
function folderWith(modes: Readonly<Record<string, NetworkMode | null>>): string {
  const file = folderOfRelease({ bots: Object.keys(modes) });
  const db = openControl(file);
  const store = createNetworkStore(db);
  for (const [id, mode] of Object.entries(modes)) if (mode !== null) store.set(id, mode, 1);
  db.close();
  return file;
}

function restoredOver(backup: string, folder: string, bots: readonly string[]): (NetworkMode | null)[] {
  const held = heldNetworks(folder);
  const raw = new Database(backup);
  keepNetworks(raw, held, 2);
  raw.close();
  const db = openControl(backup);
  const found = bots.map((id) => createNetworkStore(db).get(id));
  db.close();
  return found;
}

it('a restore loosens the network mode of no bot', () => {
  const folder = folderWith({ tight: 'enforce', told: 'observe', loose: 'open', gone: 'enforce' });
  const backup = folderWith({ tight: null, told: 'open', loose: 'enforce' });
  // The backup may be stricter, and a bot that it does not know gets no row.
  expect(restoredOver(backup, folder, ['tight', 'told', 'loose', 'gone'])).toEqual([
    'enforce',
    'observe',
    'enforce',
    null,
  ]);
});

it('a backup of a release without network modes keeps those of the folder', () => {
  const backup = folderOfRelease({ bots: ['b'], before: NETWORK_VERSION });
  expect(restoredOver(backup, folderWith({ b: 'enforce' }), ['b'])).toEqual(['enforce']);
});

it('a folder without a sound database, or of an earlier release, holds none', () => {
  expect(heldNetworks(join(tempDir('restored-'), 'none.db')).size).toBe(0);
  expect(heldNetworks(folderOfRelease({ bots: ['b'], before: NETWORK_VERSION })).size).toBe(0);
});
