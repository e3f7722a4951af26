import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StateReplica } from '../../../../../../src/main/host/engine/process/state-replica.ts';
import { SETTLE_MS } from '../../../../../../src/main/host/state/state-fingerprint.ts';
import { tempDir } from '../../../../../support/temp.ts';
import { until } from '../../../../../support/until.ts';

const set = (keys: string, key: string, value: number): void => {
  writeFileSync(join(keys, '.tmp-1'), `${value}`);
  renameSync(join(keys, '.tmp-1'), join(keys, `${key}.json`));
};

function setUp() {
  const root = tempDir();
  const [source, target] = [join(root, 'state'), join(root, 'view')];
  const [keys, copies] = [join(source, '.platform'), join(target, '.platform')];
  mkdirSync(keys, { recursive: true });
  for (const key of ['a', 'b']) set(keys, key, 1);
  const shown = (): Record<string, string> =>
    Object.fromEntries(readdirSync(copies).map((name) => [name, readFileSync(join(copies, name), 'utf8')]));
  return { root, source, target, keys, copies, shown, replica: new StateReplica(source, target) };
}

/** Refreshes until a refresh has found nothing to do, with all entries of both sides older than a tick. */
async function comeToRest(replica: StateReplica, copies: string): Promise<void> {
  // The first copies what is too new to be relied on, the second copies that again, the third has nothing to do.
  for (let n = 0; n < 3; n += 1) {
    await replica.refresh();
    const { ctimeMs } = statSync(copies);
    await until('both sides to be older than a tick', () => Date.now() > ctimeMs + 2 * SETTLE_MS);
  }
}

describe('the copy of a state for a query program', () => {
  it('follows what the bot writes, adds and removes, and copies only that again', async () => {
    const { keys, copies, shown, replica } = setUp();
    const { mtimeMs } = statSync(join(keys, 'b.json'));
    await until('the files to be older than a tick', () => Date.now() > mtimeMs + 2 * SETTLE_MS);
    await replica.refresh();
    const before = statSync(join(copies, 'a.json')).ino;
    set(keys, 'b', 2);
    set(keys, 'c', 3);
    await replica.refresh();
    expect(shown()).toEqual({ 'a.json': '1', 'b.json': '2', 'c.json': '3' });
    expect(statSync(join(copies, 'a.json')).ino).toBe(before);
    rmSync(join(keys, 'b.json'));
    await replica.refresh();
    expect(shown()).toEqual({ 'a.json': '1', 'c.json': '3' });
  });

  it('sees a change that leaves size and time of a file as they were', async () => {
    const { keys, shown, replica } = setUp();
    const file = join(keys, 'a.json');
    for (let value = 2; value <= 9; value++) {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, `${value}`);
      utimesSync(file, atime, mtime);
      await replica.refresh();
      expect(shown()).toMatchObject({ 'a.json': `${value}` });
    }
  });

  it.each<[string, (at: { keys: string; copies: string; target: string }) => void]>([
    ['a new value', ({ keys }) => set(keys, 'a', 2)],
    ['a value that is written in place', ({ keys }) => writeFileSync(join(keys, 'a.json'), '2')],
    [
      'a value that is written in place with the time of the old one',
      ({ keys }) => {
        const { atime, mtime } = statSync(join(keys, 'a.json'));
        writeFileSync(join(keys, 'a.json'), '2');
        utimesSync(join(keys, 'a.json'), atime, mtime);
      },
    ],
    ['a new key', ({ keys }) => set(keys, 'c', 1)],
    ['a key that is gone', ({ keys }) => rmSync(join(keys, 'a.json'))],
    [
      'a new folder',
      ({ keys }) => {
        mkdirSync(join(keys, 'deep'));
        set(join(keys, 'deep'), 'd', 1);
      },
    ],
    ['a value that the program has changed in its copy', ({ copies }) => writeFileSync(join(copies, 'a.json'), '-1')],
    ['a key that the program has removed from its copy', ({ copies }) => rmSync(join(copies, 'a.json'))],
    ['what the program has added to its copy', ({ target }) => writeFileSync(join(target, 'own'), '-1')],
    [
      'a copy that the program has moved away',
      ({ target }) => {
        renameSync(target, `${target}.moved`);
        mkdirSync(target);
      },
    ],
  ])('once nothing was left to do, still sees %s', async (_, change) => {
    const { source, target, keys, copies, replica } = setUp();
    const tree = (dir: string): [string, string | null][] =>
      readdirSync(dir, { recursive: true, withFileTypes: true })
        .map((entry): [string, string | null] => {
          const path = join(entry.parentPath, entry.name);
          return [relative(dir, path), entry.isFile() ? readFileSync(path, 'utf8') : null];
        })
        .sort();
    await comeToRest(replica, copies);
    change({ keys, copies, target });
    await replica.refresh();
    expect(tree(target)).toEqual(tree(source));
  });

  it('sees what the program writes where the bot has no keys yet', async () => {
    const { source, target, replica } = setUp();
    rmSync(join(source, '.platform'), { recursive: true });
    await comeToRest(replica, target);
    writeFileSync(join(target, '.platform', 'own.json'), '-1');
    await replica.refresh();
    expect(readdirSync(join(target, '.platform'))).toEqual([]);
  });

  it('sees what is written while it is made, also where the clock of the file system is behind', async () => {
    const { keys, copies, shown, replica } = setUp();
    await comeToRest(replica, copies);
    const { now } = Date;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 5000);
    onTestFinished(() => void vi.restoreAllMocks());
    for (let round = 2; round < 20; round += 1) {
      for (const key of ['a', 'b']) set(keys, key, round);
      const made = replica.refresh();
      const copied = until('the copy', async () => shown()['a.json'] === `${round}`);
      await copied;
      writeFileSync(join(keys, 'a.json'), `${-round}`);
      await made;
      for (let n = 0; n < 3; n += 1) await replica.refresh();
      expect(shown()).toEqual({ 'a.json': `${-round}`, 'b.json': `${round}` });
    }
  });

  it('has what was written before it was asked for, also while it is made', async () => {
    const { keys, shown, replica } = setUp();
    const asked: Promise<void>[] = [];
    for (let value = 2; value <= 9; value++) {
      set(keys, 'a', value);
      asked.push(replica.refresh());
      await asked[Math.floor(value / 2) - 1];
    }
    await asked.at(-1);
    expect(shown()).toMatchObject({ 'a.json': '9' });
  });

  it('undoes what the program has done to it, and writes through no link', async () => {
    const { root, target, keys, copies, shown, replica } = setUp();
    await replica.refresh();
    writeFileSync(join(copies, 'a.json'), '-1');
    mkdirSync(join(copies, 'own', 'deep'), { recursive: true });
    writeFileSync(join(target, 'own'), '');
    rmSync(join(copies, 'b.json'));
    await replica.refresh();
    expect([shown(), readdirSync(target)]).toEqual([{ 'a.json': '1', 'b.json': '1' }, ['.platform']]);

    const outside = join(root, 'outside');
    mkdirSync(outside);
    for (const place of [copies, target, join(copies, 'a.json'), `${target}.new`]) {
      rmSync(place, { recursive: true, force: true });
      symlinkSync(outside, place);
      set(keys, 'b', 2);
      await replica.refresh();
      expect([shown(), readdirSync(outside)]).toEqual([{ 'a.json': '1', 'b.json': '2' }, []]);
    }
  });
});
