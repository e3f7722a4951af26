import { expect, it } from 'vitest';
import { testSeed } from '../support/seeded-random.ts';
import { type FoundFault, fuzz, tryInput, withTarget } from './fuzz.ts';
import { KEPT } from './kept.ts';
import type { FuzzTarget } from './target.ts';

/** A short run of a target: the kept inputs, and so many made ones. */
export function shortRun(target: FuzzTarget, inputs: number): void {
  const seed = testSeed();
  const kept = KEPT.filter((one) => one.target === target.name);
  it(`reads inputs of the target ${target.name} as it must`, async () => {
    const faults: FoundFault[] = [];
    await withTarget(target, async (session) => {
      for (const { input } of kept) {
        const found = await tryInput(target, session, input, 0);
        if (found !== null) faults.push(found);
      }
      const more = (number: number): boolean => number < inputs;
      await fuzz(target, session, { first: seed, more, fault: (found) => faults.push(found) });
    });
    expect(faults, 'npm run fuzz -- --seed SEED --count 1 TARGET makes an input again').toEqual([]);
  });
}
