import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeBackup } from '../../../../../src/main/host/backup/backup.ts';
import { restoreBackup } from '../../../../../src/main/host/backup/restore.ts';
import { carryOut, notBegun, type Planned, storePlan } from '../../../../../src/main/host/backup/run-restore-plan.ts';
import { openHostControl } from '../../../../../src/main/host/control/control-database.ts';
import { openDataFolder } from '../../../../../src/node/data-folder.ts';
import { tempDir } from '../../../../support/temp.ts';

/** A data folder with a control database, and a plan whose first move fails as `control.db` cannot take its place there. */
async function blocked(ended = 0): Promise<{ folder: ReturnType<typeof openDataFolder>; planned: Planned }> {
  const folder = openDataFolder(tempDir('restore-plan-'));
  writeFileSync(folder.controlDatabase, 'now');
  const dir = join(folder.root, 'restoring-1');
  mkdirSync(dir);
  writeFileSync(join(dir, 'control.db'), 'then');
  mkdirSync(join(folder.aside, 'before-restore-1', 'control.db'), { recursive: true });
  const restored = { file: '/backup.tar.gz', made_at: '2026-11-22T00:00:00.000Z', bots: [], ended, copied: false };
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

describe('a restore that could not begin', () => {
  const broken = (code: string): Error => Object.assign(new Error(`${code}: rename`), { code });

  it.each([
    ['ENOSPC', 'STORAGE_FULL', 'Free some space'],
    ['EDQUOT', 'STORAGE_FULL', 'Free some space'],
    ['EACCES', 'INTERNAL', 'Make the data folder one that you may write to'],
    ['EROFS', 'INTERNAL', 'Make the data folder one that you may write to'],
    ['EBUSY', 'INTERNAL', 'Close every program that has files of the data folder open'],
    ['EIO', 'INTERNAL', 'Check the disk'],
    ['EISDIR', 'INTERNAL', 'Fix the cause'],
  ])('for %s is %s, with a hint that fits', (cause, code, remedy) => {
    expect(notBegun(broken(cause), 0)).toMatchObject({
      code,
      message: `The restore could not begin: ${cause}: rename`,
      hint: `Nothing was changed. ${remedy}, and restore again.`,
    });
  });

  it('says which programs of bots it has ended before, and that a host starts them', async () => {
    const { folder, planned } = await blocked(2);
    const hint = expect.stringMatching(/^2 programs of bots .* ended.* start the host.*Nothing else was changed/);
    await expect(carryOut(folder, planned)).rejects.toMatchObject({ hint });
  });

  it('says so too where its plan cannot be stored', async () => {
    const folder = openDataFolder(tempDir('restore-plan-'));
    openHostControl(folder, Date.now).close();
    const { file } = await writeBackup({ folder, withLogs: false, version: '0.1.0', now: Date.now });
    const endPrograms = async (): Promise<string[]> => {
      rmSync(folder.aside, { recursive: true, force: true });
      writeFileSync(folder.aside, 'in the way');
      return ['run_1'];
    };
    await expect(restoreBackup({ folder, file, startBots: false, now: Date.now, endPrograms })).rejects.toMatchObject({
      message: expect.stringMatching(/^The restore could not begin: /),
      hint: expect.stringMatching(/^1 programs of bots .*Nothing else was changed/),
    });
    expect(existsSync(folder.controlDatabase)).toBe(true);
    expect(readdirSync(folder.root).filter((name) => name.startsWith('restoring-'))).toEqual([]);
  });
});

/** A data folder whose restore was cut short after its first move, with this in the place of its plan. */
async function cutWith(plan: string): Promise<{ folder: ReturnType<typeof openDataFolder>; dir: string }> {
  const { folder, planned } = await blocked();
  mkdirSync(folder.bot('bot_1').root);
  renameSync(folder.controlDatabase, join(folder.aside, 'before-restore-1', 'moved.db'));
  writeFileSync(join(planned.dir, 'plan.json'), plan);
  return { folder, dir: planned.dir };
}

describe.each(['', '{"restored":', '{"start_bots":false}', 'null'])('a plan that was damaged to %j', (plan) => {
  it('is told by a host that does not start', async () => {
    const { folder, dir } = await cutWith(plan);
    expect(() => openHostControl(folder, Date.now)).toThrow(
      expect.objectContaining({
        code: 'DATA_DAMAGED',
        message: expect.stringContaining(`The control database ${folder.controlDatabase} is missing`),
        hint: expect.stringMatching(
          new RegExp(
            `^A restore was cut short, and its plan ${dir}/plan.json .*Move ${dir} out .*platform restore FILE`,
          ),
        ),
      }),
    );
  });

  it('is told by the next restore, which removes nothing', async () => {
    const { folder, dir } = await cutWith(plan);
    const file = join(folder.backups, 'any.tar.gz');
    await expect(
      restoreBackup({ folder, file, startBots: false, now: Date.now, endPrograms: async () => [] }),
    ).rejects.toMatchObject({
      code: 'DATA_DAMAGED',
      message: expect.stringContaining(`A restore was cut short, and its plan ${dir}/plan.json `),
      hint: expect.stringMatching(new RegExp(`${folder.aside}.*Move ${dir} out `)),
    });
    expect(readdirSync(dir).sort()).toEqual(['control.db', 'plan.json']);
  });

  it('counts for nothing where nothing was moved yet', async () => {
    const { folder, dir } = await cutWith(plan);
    renameSync(join(folder.aside, 'before-restore-1', 'moved.db'), folder.controlDatabase);
    const file = join(folder.backups, 'any.tar.gz');
    await expect(
      restoreBackup({ folder, file, startBots: false, now: Date.now, endPrograms: async () => [] }),
    ).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(existsSync(dir)).toBe(false);
  });
});
