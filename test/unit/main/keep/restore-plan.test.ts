import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataFolder } from '../../../../src/main/base/data-folder.ts';
import { carryOut, type Planned, storePlan } from '../../../../src/main/keep/restore-plan.ts';
import { tempDir } from '../../../support/temp.ts';

/** A data folder with a control database, and a plan whose first move fails as `control.db` cannot take its place there. */
async function blocked(): Promise<{ folder: ReturnType<typeof openDataFolder>; planned: Planned }> {
  const folder = openDataFolder(tempDir('restore-plan-'));
  writeFileSync(folder.controlDatabase, 'now');
  const dir = join(folder.root, 'restoring-1');
  mkdirSync(dir);
  writeFileSync(join(dir, 'control.db'), 'then');
  mkdirSync(join(folder.aside, 'before-restore-1', 'control.db'), { recursive: true });
  const restored = { file: '/backup.tar.gz', made_at: '2026-11-22T00:00:00.000Z', bots: [], ended: 0 };
  const planned = {
    dir,
    plan: { restored, start_bots: false, aside: 'set-aside/before-restore-1', parts: dir, code: null, logs_of: [] },
  };
  await storePlan(planned);
  return { folder, planned };
}

describe('a restore whose first move is refused', () => {
  it('says that nothing was changed, as a program may have the database open', async () => {
    const { folder, planned } = await blocked();
    await expect(carryOut(folder, planned)).rejects.toMatchObject({
      message: expect.stringMatching(/^The restore could not begin: /),
      hint: expect.stringMatching(/^Nothing was changed/),
    });
    expect(existsSync(folder.controlDatabase)).toBe(true);
    expect(readdirSync(folder.aside)).toEqual([]);
  });
});
