import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBeneath } from '../../../src/node/open-untrusted.ts';
import { tempDir } from '../../support/temp.ts';

it.runIf(process.platform === 'linux')('a file that a link in an inner folder leads to is not opened', async () => {
  const root = tempDir();
  const [state, outside] = [join(root, 'state'), join(root, 'outside')];
  for (const folder of [state, outside, join(state, 'inner')]) mkdirSync(folder);
  writeFileSync(join(outside, 'secret'), 'secret');
  writeFileSync(join(state, 'inner', 'value'), 'value');
  symlinkSync(outside, join(state, 'link'));
  // A folder whose name begins alike is another one.
  mkdirSync(`${state}-other`);
  writeFileSync(join(`${state}-other`, 'secret'), 'secret');
  symlinkSync(`${state}-other`, join(state, 'alike'));
  const opened = await openBeneath(state, 'inner/value');
  if (typeof opened === 'string') throw new Error(opened);
  expect(await opened.readFile('utf8')).toBe('value');
  await opened.close();
  expect(await openBeneath(state, 'link/secret')).toBe('strange');
  expect(await openBeneath(state, 'alike/secret')).toBe('strange');
  expect(await openBeneath(state, 'inner/none')).toBe('missing');
});

it.runIf(process.platform === 'linux')('the folder itself may be reached by a link of this user', async () => {
  const root = tempDir();
  mkdirSync(join(root, 'state'));
  writeFileSync(join(root, 'state', 'value'), 'value');
  symlinkSync(join(root, 'state'), join(root, 'way'));
  const opened = await openBeneath(join(root, 'way'), 'value');
  if (typeof opened === 'string') throw new Error(opened);
  await opened.close();
});
