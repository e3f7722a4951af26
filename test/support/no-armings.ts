import type { Armings } from '../../src/main/host/arming/armings.ts';

/** Armings of a host without live secrets. */
export const NO_ARMINGS: Omit<Armings, 'armExisting' | 'tick' | 'toldOf' | 'followGuards' | 'endNow'> = {
  revision: 0,
  shown: () => null,
  shownUntil: () => Number.POSITIVE_INFINITY,
  checkProgram: () => undefined,
  checkByHand: () => undefined,
  waitFor: () => null,
  afterChange: () => 'goes on',
  arm: () => undefined,
  follow: () => undefined,
  modeOf: () => 'unverified',
  disarm: () => undefined,
};
