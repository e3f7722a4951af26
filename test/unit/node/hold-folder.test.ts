import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openDataFolder } from '../../../src/node/data-folder.ts';
import { STILL_MS } from '../../../src/node/heartbeat.ts';
import { holdFolder, seenHolder } from '../../../src/node/hold-folder.ts';
import { isLocalDisk } from '../../../src/node/local-disk.ts';
import { tempDir } from '../../support/temp.ts';

/** Where a container that lost its power comes back, nothing tells that the machine is the same. */
const LEFT = { instance: 'ab'.repeat(8), machine: null, name: null, boot: 'of before', hostname: 'there', pid: 7 };

const local = isLocalDisk(tempDir());

describe.skipIf(!local)('a data folder on a local disk', () => {
  it('is taken at once where the dead holder had locked it on a local disk', async () => {
    const folder = openDataFolder(tempDir());
    writeFileSync(folder.beatFile, JSON.stringify({ ...LEFT, beats: 1, lockedLocally: true }));
    const held = await holdFolder(folder, { identity: null });
    try {
      expect(held.tookMs).toBeLessThan(STILL_MS / 2);
      expect(held.died).toMatchObject({ pid: 7 });
      expect(JSON.parse(readFileSync(folder.beatFile, 'utf8'))).toMatchObject({ lockedLocally: true });
    } finally {
      await held.release();
    }
    expect(await seenHolder(folder, null)).toBeNull();
  });

  it('is refused while a heartbeat moves that came over a network', async () => {
    const folder = openDataFolder(tempDir());
    let beats = 0;
    const write = (): void => writeFileSync(folder.beatFile, JSON.stringify({ ...LEFT, beats: beats++ }));
    write();
    const timer = setInterval(write, 100);
    try {
      await expect(holdFolder(folder, { identity: null })).rejects.toThrow(/HOST_RUNNING|on there, process 7 there/);
    } finally {
      clearInterval(timer);
    }
  });
});
