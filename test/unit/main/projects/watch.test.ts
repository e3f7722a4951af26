import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FolderWatch } from '../../../../src/main/projects/watch.ts';
import { tempDir } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';

it('says that it has lost count when thousands of files come at once, and watches on', async ({ onTestFinished }) => {
  const root = tempDir();
  mkdirSync(join(root, 'data'));
  const told: (string[] | null)[] = [];
  const watch = new FolderWatch(
    root,
    (paths) => told.push(paths),
    (error) => {
      throw error;
    },
  );
  onTestFinished(() => watch.close());
  await watch.start();
  for (let i = 0; i < 2500; i++) writeFileSync(join(root, `data/f${i}`), '');
  await until('the loss', () => told.includes(null));
  expect(watch.complete).toBe(true);
  const before = told.length;
  await until('a later change', () => {
    writeFileSync(join(root, 'data/later'), String(Math.random()));
    return told.slice(before).some((paths) => paths?.includes('data/later') === true);
  });
});
