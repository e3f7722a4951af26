import type { SeededRandom } from '../support/seeded-random.ts';

/** A reader of untrusted input, and how inputs for it are made. */
export interface FuzzTarget {
  readonly name: string;
  /** Milliseconds of the processor that one input may take; a reader that waits for ever meets the bound of its test. */
  readonly limitMs: number;
  /** Makes an input; the same random numbers make the same one. Bytes are given as latin1 text. */
  make(random: SeededRandom): string;
  /** Gets ready to read inputs; `dir` is an empty folder of its own. */
  open(dir: string): Promise<FuzzSession>;
}

/** What reads the inputs of a target. */
export interface FuzzSession {
  /** Reads one input; throws what the product must not do with it. A target without anything to wait for gives nothing. */
  run(input: string): void | Promise<void>;
  close(): Promise<void>;
}

/** Something a target did that it must not do. */
export class FuzzFault extends Error {
  override readonly name = 'FuzzFault';
}

/** Throws a FuzzFault unless something holds. */
export function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new FuzzFault(what);
}

/** A session of a target that needs nothing but its input. */
export function plainSession(run: (input: string) => void): Promise<FuzzSession> {
  return Promise.resolve({ run, close: () => Promise.resolve() });
}
