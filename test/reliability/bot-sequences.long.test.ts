import { describe, expect, it } from 'vitest';
import { tryOut } from '../support/model-commands.ts';
import { MODEL_BOTS, type ModelBot } from '../support/model-world.ts';
import { disprove, prove, rounds } from '../support/proof.ts';

/** Sequences of each case: a million in all. */
const SEQUENCES = rounds(12_500, 250_000);
/** A sequence about one bot tries more of it. */
const CASES: readonly (readonly [what: string, bots: readonly ModelBot[]])[] = [
  ['every-kind', MODEL_BOTS],
  ['realtime', ['realtime']],
  ['scheduled', ['scheduled']],
  ['overlapping', ['overlap']],
];

describe('the invariants hold after any sequence of wishes, faults, host deaths and clocks', () => {
  it.each(CASES)('of bots: %s', { timeout: 3_600_000 }, async (what, bots) => {
    const name = `R21-${what}`;
    await disprove(name);
    const { commands, deaths, programs } = await tryOut(SEQUENCES, { bots });
    expect(Math.min(deaths, programs)).toBeGreaterThan(SEQUENCES / 10);
    const figures = {
      sequences: SEQUENCES,
      'things that happened': commands,
      'deaths of the host': deaths,
      'programs started': programs,
      'violated invariants': 0,
    };
    await prove('R21', `wishes, faults, host deaths and clocks in any order, on a model: ${what}`, figures, name);
  });
});
