import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';

/** As a call does that blocks. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('waiting for a condition', () => {
  it('gives what the check gives', async () => {
    let calls = 0;
    expect(await until('three', () => (++calls === 3 ? calls : null))).toBe(3);
  });

  it('looks once more when it was kept from looking until its time was over', async () => {
    let there = false;
    const check = async (): Promise<boolean> => {
      const seen = there;
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (!there) standStill(60);
      there = true;
      return seen;
    };
    expect(await until('what came meanwhile', check, 50)).toBe(true);
  });

  it('says what it waited for and what it saw', async () => {
    await expect(
      until(
        'rain',
        () => false,
        20,
        async () => 'the sky is blue',
      ),
    ).rejects.toThrow('waited 20 ms for rain; the sky is blue');
  });
});
