/** Masking time of one bot: the most that it may use at once, in ms, and its share of all time. */
const MOST_MS = 500;
const SHARE = 0.5;

/**
 * The masking time of one bot. Lines made to be slow cost the masker a hundred times the usual; a bot that writes only
 * such lines is read with pauses, so that other bots get their share of the worker. Its lines wait in its file: none is
 * lost, and none is masked differently.
 */
export class MaskBudget {
  #left = MOST_MS;
  #at = 0;

  /** Charges `ms` of work; `now` by performance.now(). */
  spend(ms: number, now: number): void {
    this.#left = Math.min(MOST_MS, this.#left + Math.max(0, now - this.#at) * SHARE) - ms;
    this.#at = now;
  }

  /** Milliseconds until the next turn may begin; 0 while there is time left. */
  get pause(): number {
    return this.#left >= 0 ? 0 : -this.#left / SHARE;
  }
}
