import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ConfinedFolder } from '../../../../../src/main/host/projects/confined.ts';
import { discard, emptyTrash } from '../../../../../src/main/host/projects/trash.ts';
import { tempDir } from '../../../../support/temp.ts';

const DAY = 24 * 3_600_000;
const NOW = Date.parse('2026-03-31T10:20:30.456Z');

it('keeps what was removed for 30 days, and what it does not know for ever', async () => {
  const root = tempDir();
  const folder = new ConfinedFolder(root);
  for (const name of ['old.py', 'young.py']) writeFileSync(join(root, name), name);
  const elsewhere = tempDir();
  writeFileSync(join(elsewhere, 'precious'), '');
  mkdirSync(join(root, 'lib'));
  symlinkSync(elsewhere, join(root, 'lib/out'));
  await discard(folder, 'old.py', NOW - 31 * DAY);
  await discard(folder, 'lib', NOW - 31 * DAY);
  const young = await discard(folder, 'young.py', NOW - 29 * DAY);
  mkdirSync(join(root, '.platform/trash/notes'));
  await emptyTrash(folder, NOW);
  expect(readdirSync(join(root, '.platform/trash')).sort()).toEqual([young.split('/').at(-2), 'notes']);
  expect(existsSync(join(elsewhere, 'precious'))).toBe(true);
  await expect(discard(folder, 'none.py', NOW)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  expect(readdirSync(join(root, '.platform/trash'))).toHaveLength(2);
});

it('empties nothing behind a link', async () => {
  const root = tempDir();
  const elsewhere = tempDir();
  mkdirSync(join(elsewhere, '2020-01-01T00-00-00-000Z-1'));
  mkdirSync(join(root, '.platform'));
  symlinkSync(elsewhere, join(root, '.platform/trash'));
  await expect(emptyTrash(new ConfinedFolder(root), NOW)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(readdirSync(elsewhere)).toHaveLength(1);
});
