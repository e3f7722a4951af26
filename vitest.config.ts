import { configDefaults, defineConfig } from 'vitest/config';

/**
 * Two cores are the machine this suite is sized for: tests wait on processes, so twice as many workers as cores pay off.
 * Every bound is there to end a test that hangs. A busy machine must not reach it, and one that is not reached costs nothing.
 * No test has a second try: one that needs it has a race to be found.
 */
const common = {
  pool: 'forks',
  retry: 0,
  maxWorkers: 4,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: 'test/support/set-up-file.ts',
} as const;

/** Tests that take long, or whose case a shorter test covers in part: `npm run test:all` and the full rounds run them. */
const LONG = '**/*.long.test.ts';

export default defineConfig(({ mode }) => ({
  test: {
    exclude: [...configDefaults.exclude, ...(mode === 'all' || 'PLATFORM_TEST_ROUNDS' in process.env ? [] : [LONG])],
    projects: [
      { test: { ...common, name: 'structure', include: ['test/structure.test.ts'], testTimeout: 120_000 } },
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
          ...common,
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/fuzz/host.long.test.ts'],
          globalSetup: ['test/support/docker/setup.ts'],
          testTimeout: 300_000,
        },
      },
      {
        test: {
          ...common,
          name: 'trust',
          include: ['test/reliability/**/*.test.ts', 'test/security/**/*.test.ts'],
          globalSetup: ['test/support/docker/setup.ts'],
          testTimeout: process.env.PLATFORM_TEST_ROUNDS === undefined ? 300_000 : 14_400_000,
        },
      },
      { test: { ...common, name: 'conformance', include: ['test/conformance/*.test.ts'], testTimeout: 300_000 } },
      {
        test: {
          ...common,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/docker/setup.ts'],
          testTimeout: 600_000,
        },
      },
    ],
  },
}));
