import { defineConfig } from 'vitest/config';
import { FlakyReport } from './test/support/flaky-report.ts';

/** Two cores are the machine this suite is sized for: tests wait on processes, so a few more workers than cores pay off. */
const workers = { pool: 'forks', maxWorkers: 3 } as const;

/** What runs real processes, containers and browsers is tried again once; who needed that is named at the end. */
const realParts = { ...workers, retry: 1 } as const;

export default defineConfig({
  test: {
    reporters: ['default', new FlakyReport()],
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
          ...realParts,
        },
      },
      {
        test: {
          name: 'conformance',
          include: ['test/conformance/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          ...realParts,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/docker/setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          ...realParts,
        },
      },
    ],
  },
});
