import type { LiveBatch } from '../../../contract/telemetry.ts';
import type { LiveSink, Telemetry } from './telemetry-types.ts';

type Batch = Extract<LiveBatch, { seq: number }>;

/**
 * The rows of one bot as they are stored, from a seq on (null: from now on). It ends by itself after a gap, a fault, or where
 * `push` returns false; its owner then follows again from `seq`.
 */
export class FollowedRows {
  /** Seq of the last row that was taken. */
  seq: number;
  isEnded = false;
  /** True once `seq` is a row of the log: before that, a reader from now on does not know where it begins. */
  hasBegun = false;
  readonly #push: (batch: Batch) => boolean;
  #end: () => void = () => undefined;

  constructor(after: number | null, push: (batch: Batch) => boolean) {
    this.seq = after ?? 0;
    this.#push = push;
  }

  /**
   * Begins after a seq, the one that the constructor was given. Faults of the log come to `failed`, and end it. `behind`: what is
   * read of stored rows, as in LiveSink.
   */
  begin(
    telemetry: Pick<Telemetry, 'subscribe'>,
    botId: string,
    after: number | null,
    failed: (error: unknown) => void,
    behind: 'all' | 'judged' = 'all',
  ): void {
    const sink: LiveSink = {
      behind,
      start: (seq: number) => {
        this.seq = seq;
        this.hasBegun = true;
      },
      push: (batch: LiveBatch) => this.#take(batch),
    };
    telemetry.subscribe(botId, after, sink).then(
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

  #take(batch: LiveBatch): boolean {
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
