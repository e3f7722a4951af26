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
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
