// Takes the pictures of all places of the dashboard anew, which the tests compare with: `npm run pictures`. Look at what has
// changed before you commit it.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const vitest = resolve(ROOT, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--project', 'e2e', 'dashboard/places', '--mode', 'all'],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PLATFORM_TEST_PICTURES: 'update' },
  },
);
process.exitCode = status ?? 1;
