import { expect, it } from 'vitest';
import { testSeed } from '../support/seeded-random.ts';
import { type FoundFault, fuzz, tryInput, withTarget } from './fuzz.ts';
import { KEPT } from './kept.ts';
import type { FuzzTarget } from './target.ts';

/** Seed of the inputs that are the same in every run. */
const FIXED = 20_261_121;

/** A short run of a target: the kept inputs, some fixed ones, and `inputs` new ones. */
export function shortRun(target: FuzzTarget, inputs: number): void {
  const fresh = testSeed();
  const kept = KEPT.filter((one) => one.target === target.name);
  it(`reads inputs of the target ${target.name} as it must`, async () => {
    const faults: FoundFault[] = [];
    await withTarget(target, async (session) => {
      for (const { input } of kept) {
        const found = await tryInput(target, session, input, 0);
        if (found !== null) faults.push(found);
      }
      for (const first of [FIXED, fresh]) {
        await fuzz(target, session, { first, more: (number) => number < inputs, fault: (found) => faults.push(found) });
      }
    });
    expect(faults, 'npm run fuzz -- --seed SEED --count 1 TARGET makes an input again').toEqual([]);
  });
}
