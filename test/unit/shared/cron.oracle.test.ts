import { expect, it } from 'vitest';
import { compareWithOracle } from '../../support/cron-differences.ts';
import { SeededRandom, testSeed } from '../../support/seeded-random.ts';

const CALLS = 1_000_000;

it('agrees with the minute-by-minute oracle in a million calls', () => {
  const seed = testSeed();
  const { calls, expressions, differences } = compareWithOracle(new SeededRandom(seed), CALLS);
  expect(differences, `replay with TEST_SEED=${seed}`).toEqual([]);
  expect(calls).toBeGreaterThanOrEqual(CALLS);
  console.info(`cron: ${calls} calls, ${expressions} expressions, 0 differences, seed ${seed}`);
});
