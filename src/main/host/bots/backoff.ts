const FIRST_MS = 1000;
const LONGEST_MS = 300_000;
const JITTER = 0.1;

/** No wait is longer: a later time was written before the clock was set back. */
export const LONGEST_WAIT_MS = LONGEST_MS * (1 + JITTER);

/** After this long without a failure the next one counts as the first again. */
export const STEADY_MS = 600_000;

/**
 * Wait before restart number `failures` (1 for the first failure): 1 s doubling to 5 min with 10 % jitter either way
 * (docs/contract/instances.md#restart). `random` is in [0, 1).
 */
export function backoffMs(failures: number, random: number): number {
  return spread(FIRST_MS * 2 ** Math.min(failures - 1, 20), random);
}

/**
 * Wait of a bot whose engine has lacked something for `lackedMs` and may have it in `engineMs`: as long as that has lasted, so each
 * wait is about twice the last one, within the limits of other waits.
 */
export function engineBackoffMs(lackedMs: number, engineMs: number, random: number): number {
  return Math.min(LONGEST_WAIT_MS, Math.max(engineMs, spread(Math.max(FIRST_MS, lackedMs), random)));
}

const spread = (ms: number, random: number): number =>
  Math.round(Math.min(LONGEST_MS, ms) * (1 - JITTER + 2 * JITTER * random));
