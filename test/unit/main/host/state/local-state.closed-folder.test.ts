import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyState } from '../../../../../src/main/host/engine/process/state-copy.ts';
import { LocalState } from '../../../../../src/main/host/state/local-state.ts';
import { stateFingerprint } from '../../../../../src/main/host/state/state-fingerprint.ts';
import { createStateStore } from '../../../../../src/main/host/state/state-store.ts';
import { tempDir } from '../../../../support/temp.ts';

/** Root may read everything. */
const isRoot = process.geteuid?.() === 0;

/** A state with one key, and with a folder and a file of these modes. */
function closedState(folderMode: number, fileMode: number, keysMode = 0o700): string {
  const dir = join(tempDir(), 'state');
  const keys = join(dir, '.platform');
  const closed = join(keys, 'closed');
  mkdirSync(closed, { recursive: true });
  writeFileSync(join(keys, 'position.json'), '{"units":2}');
  writeFileSync(join(closed, 'file'), 'x'.repeat(100));
  chmodSync(join(closed, 'file'), fileMode);
  chmodSync(closed, folderMode);
  chmodSync(keys, keysMode);
  onTestFinished(() => {
    for (const folder of [keys, closed]) chmodSync(folder, 0o700);
  });
  return dir;
}

describe.skipIf(process.platform === 'win32' || isRoot)('a part of its state that a bot has closed', () => {
  it.each([0o000, 0o400])('is left out of the list, and named (folder of mode %o)', async (mode) => {
    const dir = closedState(mode, 0o600);
    const store = createStateStore({ viewOf: () => new LocalState(dir) });
    const list = await store.list('bot');
    expect(list).toMatchObject({ keys: [{ key: 'position' }], total_bytes: 11, left_out: ['.platform/closed'] });
    await store.set('bot', 'position', { units: 3 });
    expect(await store.get('bot', 'position')).toMatchObject({ value: { units: 3 } });
  });

  it('is told of where it is all of the state', async () => {
    const store = createStateStore({ viewOf: () => new LocalState(dir) });
    const dir = closedState(0o700, 0o600, 0o000);
    const works = [() => store.list('bot'), () => store.get('bot', 'position'), () => store.set('bot', 'position', 1)];
    for (const work of works)
      await expect(work()).rejects.toMatchObject({ code: 'INVALID_REQUEST', hint: expect.stringContaining('chmod') });
  });

  it.each([
    ['a folder', closedState.bind(null, 0o000, 0o600)],
    ['a folder that cannot be entered', closedState.bind(null, 0o400, 0o600)],
    ['a file', closedState.bind(null, 0o700, 0o000)],
  ])('is told of to who asks a query, as nothing of it may be missing (%s)', async (_, make) => {
    const dir = make();
    const view = copyState(dir, join(tempDir(), 'view'));
    await expect(view).rejects.toMatchObject({ code: 'QUERY_FAILED', hint: expect.stringContaining('chmod') });
  });

  it('lets no program wait for the next question', async () => {
    expect(await stateFingerprint(closedState(0o000, 0o600))).toBeNull();
    expect(await stateFingerprint(closedState(0o400, 0o600))).toBeNull();
  });
});
