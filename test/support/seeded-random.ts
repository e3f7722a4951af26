import { fullRounds } from './proof.ts';

/** Random numbers that can be replayed: the same seed gives the same numbers (a 32-bit xorshift with a Weyl step). */
export class SeededRandom {
  #state: number;
  #step = 0;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** A number in [0, 2^32). */
  next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    this.#step = (this.#step + 0x9e3779b9) >>> 0;
    return (this.#state + this.#step) >>> 0;
  }

  /** A whole number in [0, below). */
  below(below: number): number {
    return Math.floor((this.next() / 2 ** 32) * below);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('pick needs at least one item');
    return item;
  }

  /** A text of `length` characters of an alphabet. */
  text(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join('');
  }
}

/** Seed of a usual run. */
const USUAL = 42;

/**
 * The seed of this run: TEST_SEED from the environment for a replay; a new one with PLATFORM_TEST_ROUNDS=full, as in the
 * rounds of docs/reliability.md; else always the same, so that a usual run fails by a change and not by a draw. `npm run
 * fuzz` looks for new cases, too.
 */
export function testSeed(): number {
  const given = process.env.TEST_SEED;
  if (given !== undefined) return Number(given);
  return fullRounds ? Math.floor(Math.random() * 2 ** 32) : USUAL;
}
