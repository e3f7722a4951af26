import type { LogEntry, MetricEvent } from '../../../contract/telemetry.ts';
import type { NewLines } from './blocks/new-lines.ts';
import type { MetricRow } from './log-database-write.ts';
import { toLogEntry, toMetricEvent } from './wire-entries.ts';
import type { WorkerEvent } from './worker-protocol.ts';

/** Rows and characters per message: the receiving thread is never held longer than a few milliseconds. */
const ROWS_PER_BATCH = 500;
const CHARS_PER_BATCH = 1024 * 1024;
/** Most messages on their way; while so many wait, readers fetch further rows themselves. */
const MAX_UNACKNOWLEDGED = 40;

/** Sends committed rows of one watched bot to the main thread, bounded. */
export class LiveSender {
  readonly #botId: string;
  readonly #emit: (event: WorkerEvent) => void;
  #unacknowledged = 0;

  constructor(botId: string, emit: (event: WorkerEvent) => void) {
    this.#botId = botId;
    this.#emit = emit;
  }

  acknowledge(): void {
    this.#unacknowledged--;
  }

  /** Rows of one commit: seqs `first` to `seq` without a gap over both lists together. */
  send(first: number, seq: number, logs: NewLines, metrics: readonly MetricRow[]): void {
    let log = 0;
    let metric = 0;
    for (let from = first, next = first; from <= seq; from = next) {
      if (this.#unacknowledged >= MAX_UNACKNOWLEDGED) {
        this.#emit({ event: 'skipped', botId: this.#botId, seq });
        return;
      }
      const entries: LogEntry[] = [];
      const events: MetricEvent[] = [];
      for (let chars = 0; next <= seq && next < from + ROWS_PER_BATCH && chars < CHARS_PER_BATCH; next++) {
        const row = metrics[metric];
        if (logs.seqs[log] === next) {
          entries.push(toLogEntry(logs.row(log)));
          chars += logs.bytesOf(log);
          log++;
        } else if (row?.seq === next) {
          events.push(toMetricEvent(row));
          chars += row.data.length;
          metric++;
        }
      }
      this.#unacknowledged++;
      this.#emit({ event: 'batch', botId: this.#botId, first: from, seq: next - 1, logs: entries, metrics: events });
    }
  }
}
