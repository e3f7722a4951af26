// Updates the pictures of all places of the dashboard, with which the tests compare: `npm run pictures`. Check the
// changes before you commit them.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const vitest = resolve(ROOT, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--project', 'e2e', 'dashboard/places.long', '--mode', 'all'],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PLATFORM_TEST_PICTURES: 'update' },
  },
);
process.exitCode = status ?? 1;
