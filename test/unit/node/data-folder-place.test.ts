import { chmodSync, cpSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  comparePlaces,
  findPlace,
  folderIdentity,
  originalAt,
  type Place,
} from '../../../src/node/data-folder-place.ts';
import { renewHostId } from '../../../src/node/host-id.ts';
import { tempDir } from '../../support/temp.ts';

const at = (over: Partial<Place> = {}): Place => ({ name: null, machine: 'm', file: '7 1', path: '/data', ...over });

describe('two places', () => {
  it.each([
    ['nothing changed', {}, {}, 'same'],
    ['the folder was renamed', {}, { path: '/other' }, 'same'],
    ['another machine', {}, { machine: 'n' }, 'other'],
    ['another inode or birth', {}, { file: '8 1' }, 'other'],
    ['the machine does not answer this once', {}, { machine: null }, 'same'],
    ['nothing is told any more, e.g. in a container', {}, { machine: null, file: null }, 'other'],
    ['nothing was told before', { machine: null, file: null }, {}, 'unknown'],
    ['the same name, whatever else', { name: 'a' }, { name: 'a', machine: 'n', file: '9 9' }, 'same'],
    ['another name', { name: 'a' }, { name: 'b' }, 'other'],
    ['a name for the first time, on the same machine', {}, { name: 'a' }, 'same'],
    ['a name for the first time, elsewhere', {}, { name: 'a', machine: 'n' }, 'other'],
    ['a name for the first time, where nothing is told', {}, { name: 'a', machine: null, file: null }, 'other'],
    ['the name is gone, on the same machine', { name: 'a' }, {}, 'same'],
    ['the name is gone, and it was all', { name: 'a', machine: null, file: null }, {}, 'other'],
  ] as const)('%s', (_, recorded, now, verdict) => {
    expect(comparePlaces(at(recorded), at(now))).toBe(verdict);
  });
});

it('the identity of a folder is not that of a copy, also of one that was put in its place', async () => {
  const dir = join(tempDir(), 'data');
  mkdirSync(dir);
  const identity = folderIdentity(dir);
  expect(folderIdentity(dir)).toBe(identity);
  cpSync(dir, `${dir}.copy`, { recursive: true });
  expect(folderIdentity(`${dir}.copy`)).not.toBe(identity);
  renameSync(dir, `${dir}.old`);
  renameSync(`${dir}.copy`, dir);
  // A disk that does not tell when a file was made cannot tell this.
  if ((await findPlace(dir, null)).weak === null) expect(folderIdentity(dir)).not.toBe(identity);
});

describe('the place of a folder', () => {
  it('stays when it is renamed and when modes are set, and is another one for a copy and a renewed id', async () => {
    const base = tempDir();
    const dir = join(base, 'data');
    mkdirSync(dir);
    const first = await findPlace(dir, 'named');
    expect((await findPlace(dir, 'named')).place).toEqual(first.place);
    chmodSync(join(dir, 'host-id'), 0o640);
    renameSync(dir, join(base, 'renamed'));
    const renamed = await findPlace(join(base, 'renamed'), 'named');
    expect(renamed.place).toEqual({ ...first.place, path: renamed.place.path });
    cpSync(join(base, 'renamed'), dir, { recursive: true, preserveTimestamps: true });
    const copy = await findPlace(dir, 'named');
    renewHostId(join(base, 'renamed'));
    const renewed = await findPlace(join(base, 'renamed'), 'named');
    if (first.weak !== null) expect([copy.place.file, renewed.place.file]).toEqual([null, null]);
    else expect(new Set([first, copy, renewed].map(({ place }) => place.file)).size).toBe(3);
  });

  it('is no copy where the recorded path leads to this very folder, and one where the original is still there', async () => {
    const base = tempDir();
    const dir = join(base, 'data');
    mkdirSync(dir);
    const { place } = await findPlace(dir, null);
    const copy = join(base, 'copy');
    cpSync(dir, copy, { recursive: true });
    expect(statSync(join(copy, 'host-id')).ino).not.toBe(statSync(join(dir, 'host-id')).ino);
    // A snapshot has the same inode and birth; its path tells it all the same.
    expect(originalAt(place, { ...place, path: copy })).toBe(dir);
    renameSync(dir, join(base, 'moved'));
    expect(originalAt(place, { ...place, path: join(base, 'moved') })).toBeNull();
    expect(originalAt(place, place)).toBeNull();
  });
});
