import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { FolderWatch } from '../../../../../src/main/host/projects/watch.ts';
import { tempDir } from '../../../../support/temp.ts';
import { until } from '../../../../support/until.ts';

/** A folder watched until the test ends, and the reported changes. */
async function watched(root: string, onTestFinished: TestContext['onTestFinished']) {
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
  return { watch, told };
}

it('says that it has lost count when thousands of files come at once, and watches on', async ({ onTestFinished }) => {
  const root = tempDir();
  mkdirSync(join(root, 'data'));
  const { watch, told } = await watched(root, onTestFinished);
  for (let i = 0; i < 2500; i++) writeFileSync(join(root, `data/f${i}`), '');
  await until('the loss', () => told.includes(null));
  expect(watch.complete).toBe(true);
  const before = told.length;
  await until('a later change', () => {
    writeFileSync(join(root, 'data/later'), String(Math.random()));
    return told.slice(before).some((paths) => paths?.includes('data/later') === true);
  });
});

it.for(['moved away', 'removed'])(
  'watches the folder that takes the place of one that was %s',
  async (how, { onTestFinished }) => {
    const dir = tempDir();
    const root = join(dir, 'bot');
    mkdirSync(root);
    const { watch, told } = await watched(root, onTestFinished);
    if (how === 'removed') rmSync(root, { recursive: true });
    else renameSync(root, join(dir, 'old'));
    await until('the loss', () => told.length > 0 && !watch.complete);
    mkdirSync(root);
    await until('the new folder', () => watch.complete);
    expect(told.at(-1)).toBeNull();
    await until('a change in it', () => {
      writeFileSync(join(root, 'bot.py'), String(Math.random()));
      return told.some((paths) => paths?.includes('bot.py') === true);
    });
  },
);
