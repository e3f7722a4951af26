import { describe, expect, it } from 'vitest';
import { type Beat, type BeatPlace, mayRunElsewhere, type Owner } from '../../../src/node/heartbeat.ts';

const HERE: Owner = { machine: 'm', name: null, boot: 'now' };
const BEAT: Beat = {
  ...HERE,
  instance: 'ab'.repeat(8),
  hostname: 'there',
  pid: 7,
  since: 1,
  beats: 1,
  lockedLocally: false,
};
const OWN_DISK: BeatPlace = { withoutLock: false, lockedLocally: true, isShared: false, isOutOfSight: false };
const SHARED: BeatPlace = { ...OWN_DISK, lockedLocally: false, isShared: true };
const NO_LOCKS: BeatPlace = { ...OWN_DISK, lockedLocally: false, withoutLock: true };
/** As macOS and Windows have it, which do not tell what a disk is. */
const UNTOLD: BeatPlace = { ...OWN_DISK, lockedLocally: false };

describe('a host that left a heartbeat', () => {
  it.each<[string, boolean, Partial<Beat>, BeatPlace, Owner?]>([
    ['of this boot', false, {}, NO_LOCKS],
    ['of this boot, in a container', false, { machine: null }, NO_LOCKS],
    ['of another machine whose system tells no boot', true, { machine: 'other' }, UNTOLD],
    ['of this machine before its last start, on its own disk', false, { boot: 'before' }, OWN_DISK],
    ['of this machine before its last start, where nothing tells what the disk is', false, { boot: 'before' }, UNTOLD],
    ['of a machine with our identity, on a disk that others share', true, { boot: 'other' }, SHARED],
    ['of a machine with our identity, on a disk without locks', true, { boot: 'other' }, NO_LOCKS],
    ['of another machine', true, { machine: 'other', boot: 'other' }, OWN_DISK],
    ['of a machine without identity', true, { machine: null, boot: 'other' }, OWN_DISK, { ...HERE, machine: null }],
    [
      'that held the lock of a local disk, as we do',
      false,
      { machine: null, boot: 'x', lockedLocally: true },
      OWN_DISK,
    ],
    ['that held the lock of a disk that we reach otherwise', true, { boot: 'other', lockedLocally: true }, SHARED],
    ['of our name', false, { name: 'a', boot: 'other' }, NO_LOCKS, { ...HERE, name: 'a' }],
    ['of another name', true, { name: 'b' }, SHARED, { ...HERE, name: 'a' }],
    ['of this boot, out of sight', true, {}, { ...NO_LOCKS, isOutOfSight: true }],
  ])('%s may run elsewhere: %s', (_, expected, found, place, self = HERE) => {
    expect(mayRunElsewhere({ ...BEAT, ...found }, self, place)).toBe(expected);
  });
});
