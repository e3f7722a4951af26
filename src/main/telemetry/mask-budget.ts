/** A bot may have masked for this long at once, and for this part of all time. */
const MOST_MS = 500;
const SHARE = 0.5;

/**
 * How long masking may work for one bot (performance.md section 3.3). Lines that are made to be slow cost the masker a
 * hundred times what others do; a bot that writes nothing else is read in turns with pauses, so that the rest of the worker
 * is left to other bots. Its lines wait in its file: none is lost, and none is masked otherwise than without a pause.
 */
export class MaskBudget {
  #left = MOST_MS;
  #at = 0;

  /** Takes what was spent, in ms of work; `now` by performance.now(). */
  spend(ms: number, now: number): void {
    this.#left = Math.min(MOST_MS, this.#left + Math.max(0, now - this.#at) * SHARE) - ms;
    this.#at = now;
  }

  /** Milliseconds until the next turn may begin; 0 while something is left. */
  get pause(): number {
    return this.#left >= 0 ? 0 : -this.#left / SHARE;
  }
}
