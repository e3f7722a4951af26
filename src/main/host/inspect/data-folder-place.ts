import { existsSync } from 'node:fs';
import type { Inspection } from '../../../contract/doctor-inspection.ts';
import type { DataFolder } from '../../../node/data-folder.ts';
import { findPlace, isSameFolder } from '../../../node/data-folder-place.ts';
import { hostIdFile } from '../../../node/host-id.ts';
import { isElsewhere, peekPlace } from '../control/data-folder-place-record.ts';

/**
 * Compares the place of a data folder with its record; null if no host of this release has used the folder. `name`: the
 * identity that this place was given, else null.
 */
export async function inspectPlace(folder: DataFolder, name: string | null): Promise<Inspection['place']> {
  const recorded = peekPlace(folder.controlDatabase);
  // The inspection must create no file in a folder that no host of this release has used.
  if (recorded === null || !existsSync(hostIdFile(folder.root))) return null;
  // A running host has a name of its own, which this command need not be given.
  const { place, weak } = await findPlace(folder.root, name ?? recorded.place.name);
  const moves = isElsewhere(recorded, place);
  if (recorded.arrival !== null || moves) {
    const last = moves ? [recorded.place.path] : [];
    const from = new Set([...(recorded.arrival?.from ?? []), ...last]);
    const others = [...from].filter((path) => !isSameFolder(path, place.path));
    return { state: 'copied', identity: place.name, note: others.length === 0 ? null : others.join(', then ') };
  }
  const isUnproved = weak !== null && place.name === null;
  return { state: isUnproved ? 'unproved' : 'here', identity: place.name, note: isUnproved ? weak : null };
}
