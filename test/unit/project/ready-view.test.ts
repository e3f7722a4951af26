import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkView } from '../../../src/packaging/view-rules.ts';
import { addReadyView, READY_VIEWS } from '../../../src/project/ready-view.ts';
import { ROOT } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';

const RESOURCES = join(ROOT, 'resources');

it.each(READY_VIEWS)('makes one document of the view %s that every check takes', async (view) => {
  const dir = tempDir('ready-view-');
  addReadyView(dir, view, RESOURCES);
  const html = readFileSync(join(dir, 'view/index.html'), 'utf8');
  expect(await checkView({ paths: ['view/index.html'], read: async () => Buffer.from(html) })).toEqual([]);
  expect(html).not.toContain('{{');
  expect(html).toContain(readFileSync(join(RESOURCES, 'sdk/view/view.js'), 'utf8'));
});

it('brings an SDK of a few kilobytes along', () => {
  expect(statSync(join(RESOURCES, 'sdk/view/view.js')).size).toBeLessThan(5000);
});
