import { Armings, type ArmingsDeps } from '../arming/armings.ts';
import { ArmedBots, type ArmedBotsDeps } from '../bots/armed-bots.ts';
import { armedSubject } from '../bots/armed-subject.ts';
import { armExisting, type ExistingDeps } from '../bots/arming-upkeep.ts';
import { createArmingStore } from '../control/arming-store.ts';
import type { Stores } from './build-stores.ts';

/** The armings of all bots. `guardsOf` is first asked once guards exist. */
export const buildArmings = (
  { db, hostKey, secrets, catalog }: Stores,
  { guardsOf, now }: Pick<ArmingsDeps, 'guardsOf' | 'now'>,
): Armings =>
  new Armings({
    ...{ store: createArmingStore(db), hostKey, guardsOf, now },
    subjectOf: (bot) => armedSubject({ secrets, codes: catalog }, bot),
  });

/** What arming does to bots. */
export const buildArmedBots = (parts: ArmedBotsDeps & ExistingDeps) => ({
  armedBots: new ArmedBots(parts),
  armExisting: () => armExisting(parts),
});
