import type { LiveGap } from './telemetry-types.ts';

/** What a reader of live rows is called with, whatever rows it takes. */
export interface FollowingSink<Rows> {
  start(seq: number): void;
  push(batch: Rows | LiveGap): boolean;
}

/**
 * The rows of one bot as they are stored, from a seq on (null: from now on). It ends by itself after a gap, a fault, or where
 * `push` returns false; its owner then follows again from `seq`.
 */
export class RowSubscription<Rows extends { readonly seq: number }> {
  /** Seq of the last row that was taken. */
  seq: number;
  isEnded = false;
  /** True once `seq` is a row of the log: before that, a reader from now on does not know where it begins. */
  hasBegun = false;
  readonly #push: (batch: Rows) => boolean;
  #end: () => void = () => undefined;

  constructor(after: number | null, push: (batch: Rows) => boolean) {
    this.seq = after ?? 0;
    this.#push = push;
  }

  /**
   * Begins with `subscribe`, which has rows come after the seq that the constructor was given. Faults of the log come to `failed`, and
   * end it.
   */
  begin(subscribe: (sink: FollowingSink<Rows>) => Promise<() => void>, failed: (error: unknown) => void): void {
    const sink: FollowingSink<Rows> = {
      start: (seq) => {
        this.seq = seq;
        this.hasBegun = true;
      },
      push: (batch) => this.#take(batch),
    };
    subscribe(sink).then(
      (end) => {
        if (this.isEnded) end();
        else this.#end = end;
      },
      (error: unknown) => {
        this.isEnded = true;
        failed(error);
      },
    );
  }

  end(): void {
    this.isEnded = true;
    this.#end();
  }

  #take(batch: Rows | LiveGap): boolean {
    if (this.isEnded) return false;
    if ('gap' in batch) {
      this.isEnded = true;
      return true;
    }
    if (!this.#push(batch)) {
      this.isEnded = true;
      return false;
    }
    this.seq = batch.seq;
    return true;
  }
}
