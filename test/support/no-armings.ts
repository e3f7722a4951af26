import type { Armings } from '../../src/main/host/arming/armings.ts';
import type { StagedChanges } from '../../src/main/host/bots/staged-changes.ts';

/** Armings of a host without live secrets. */
export const NO_ARMINGS: Omit<
  Armings,
  'armExisting' | 'tick' | 'toldOf' | 'followGuards' | 'endNow' | 'awaitsExisting'
> = {
  revision: 0,
  shown: () => null,
  shownUntil: () => Number.POSITIVE_INFINITY,
  checkProgram: () => undefined,
  checkByHand: () => undefined,
  remembers: () => false,
  checkNotEnded: () => undefined,
  waitFor: () => null,
  afterChange: () => 'goes on',
  arm: () => undefined,
  follow: () => undefined,
  modeOf: () => 'unverified',
  disarm: () => undefined,
};

/** A host in which no change waits for a person. */
export const NOTHING_STAGED: Pick<StagedChanges, 'revision' | 'shown' | 'shownUntil' | 'drop'> = {
  revision: 0,
  shown: () => null,
  shownUntil: () => Number.POSITIVE_INFINITY,
  drop: () => undefined,
};
