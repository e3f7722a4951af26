import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectsHere } from '../../../../support/projects-here.ts';
import { tempDir } from '../../../../support/temp.ts';

it('brings no dependencies in where the folder for them is a link', async () => {
  const projects = projectsHere();
  const dir = join(tempDir(), 'linked');
  const { project_id } = await projects.create('user_1', dir, 'node', 'linked');
  mkdirSync(join(dir, 'own'));
  writeFileSync(join(dir, 'own/package.json'), '{"name": "own", "version": "1.0.0"}');
  writeFileSync(join(dir, 'package.json'), '{"dependencies": {"own": "file:own"}}');
  const elsewhere = tempDir();
  mkdirSync(join(elsewhere, 'node'));
  writeFileSync(join(elsewhere, 'node/precious'), '');
  writeFileSync(join(elsewhere, '.gitignore'), 'theirs');
  symlinkSync(elsewhere, join(dir, '.platform'));
  await expect(projects.publish('user_1', project_id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(readdirSync(join(elsewhere, 'node'))).toEqual(['precious']);
  expect(readFileSync(join(elsewhere, '.gitignore'), 'utf8')).toBe('theirs');
});
