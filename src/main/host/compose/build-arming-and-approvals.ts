import { Armings, type ArmingsDeps } from '../arming/armings.ts';
import { Approvals, type ApprovalsDeps } from '../bots/approvals.ts';
import { ArmedBots, type ArmedBotsDeps } from '../bots/armed-bots.ts';
import { armedSubject } from '../bots/armed-subject.ts';
import { armExisting, type ExistingDeps } from '../bots/arming-upkeep.ts';
import { StagedChanges } from '../bots/staged-changes.ts';
import { createArmingStore } from '../control/arming-store.ts';
import type { Stores } from './build-stores.ts';

interface StagedParts {
  readonly now: () => number;
  readonly url: () => string;
}

/** The armings of all bots. `guardsOf` is first asked once guards exist. */
export const buildArmings = (
  { db, hostKey, secrets, catalog }: Stores,
  { guardsOf, now }: Pick<ArmingsDeps, 'guardsOf' | 'now'>,
): Armings =>
  new Armings({
    ...{ store: createArmingStore(db), hostKey, guardsOf, now },
    subjectOf: (bot) => armedSubject({ secrets, codes: catalog }, bot),
  });

/** What keys have asked of armed bots, and waits for a person. */
export const buildStagedChanges = (
  { stagedStore, isRevoked, vault, ids }: Stores,
  { now, url }: StagedParts,
): StagedChanges => new StagedChanges({ store: stagedStore, vault, isRevoked, newId: () => ids.next('apr'), now, url });

/** What arming does to bots. */
export const buildArmedBots = (parts: ArmedBotsDeps & ExistingDeps & ApprovalsDeps) => ({
  armedBots: new ArmedBots(parts),
  approvals: new Approvals(parts),
  armExisting: () => armExisting(parts),
});
