import { defineConfig } from 'vitest/config';

/** Two cores are the machine this suite is sized for: tests wait on processes, so a few more workers than cores pay off. */
const workers = { pool: 'forks', maxWorkers: 3 } as const;

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'structure', include: ['test/structure.test.ts'], ...workers } },
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 60_000, ...workers } },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: ['test/support/docker/setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          ...workers,
        },
      },
      {
        test: {
          name: 'conformance',
          include: ['test/conformance/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          ...workers,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/docker/setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          ...workers,
        },
      },
    ],
  },
});
