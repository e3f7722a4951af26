import { configDefaults, defineConfig } from 'vitest/config';
import { FlakyReport } from './test/support/flaky-report.ts';

/**
 * Two cores are the machine this suite is sized for: tests wait on processes, so twice as many workers as cores pay off.
 * Every bound is there to end a test that hangs. A busy machine must not reach it, and one that is not reached costs nothing.
 */
const common = {
  pool: 'forks',
  maxWorkers: 4,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: 'test/support/set-up-file.ts',
} as const;

/** What runs real processes, containers and browsers is tried again once; who needed that is named at the end. */
const realParts = { ...common, retry: 1 } as const;

/** Tests that take long, or whose case a shorter test covers in part: `npm run test:all` and the full rounds run them. */
const LONG = '**/*.long.test.ts';

export default defineConfig(({ mode }) => ({
  test: {
    exclude: [...configDefaults.exclude, ...(mode === 'all' || 'PLATFORM_TEST_ROUNDS' in process.env ? [] : [LONG])],
    reporters: ['default', new FlakyReport()],
    projects: [
      { test: { ...common, name: 'structure', include: ['test/structure.test.ts'] } },
      {
        test: {
          ...common,
          name: 'unit',
          // Nothing of them is started or kept: a process for each file cost as much as all their work.
          isolate: false,
          include: ['test/unit/**/*.test.ts', 'test/fuzz/readers.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...realParts,
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/fuzz/host.test.ts'],
          globalSetup: ['test/support/docker/setup.ts'],
          testTimeout: 300_000,
        },
      },
      {
        test: {
          ...realParts,
          name: 'trust',
          include: ['test/reliability/**/*.test.ts', 'test/security/**/*.test.ts'],
          globalSetup: ['test/support/docker/setup.ts'],
          testTimeout: process.env.PLATFORM_TEST_ROUNDS === undefined ? 300_000 : 14_400_000,
        },
      },
      { test: { ...realParts, name: 'conformance', include: ['test/conformance/*.test.ts'], testTimeout: 300_000 } },
      {
        test: {
          ...realParts,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/docker/setup.ts'],
          testTimeout: 600_000,
        },
      },
    ],
  },
}));
