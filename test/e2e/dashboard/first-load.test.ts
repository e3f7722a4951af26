import { join } from 'node:path';
import { expect, it } from 'vitest';
import { firstLoad, total } from '../../../scripts/first-load.ts';
import { ROOT } from '../../support/platform.ts';

const MOST_GZIP = 250_000;

it('the dashboard shows something after less than 250 kB', () => {
  const files = firstLoad(join(ROOT, 'out/renderer'));
  expect([...files.keys()].filter((name) => name.endsWith('.js')).length).toBeGreaterThan(1);
  const { gzip } = total(files.values());
  // `npm run bundle-report` lists its parts.
  expect(gzip).toBeLessThan(MOST_GZIP);
  // Less than this would mean that the count has lost something.
  expect(gzip).toBeGreaterThan(50_000);
});
