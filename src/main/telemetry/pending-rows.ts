import type { LogLevel } from '../../contract/telemetry.ts';
import { packMeta } from '../store/log-database.ts';
import type { LogRow, MetricRow } from '../store/log-database-write.ts';
import type { BotMasker } from './bot-masker.ts';
import { levelNumber, sourceNumber } from './entries.ts';
import type { TakenLine } from './line-intake.ts';
import type { SpoolFile } from './telemetry.ts';

/** Lines of the host kept in memory while a log cannot be written. */
const MAX_HOST_LINES = 1000;

/** A line of the host itself in a bot's log. */
export interface HostLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly runId: string | null;
}

/**
 * Rows of one bot between reading and commit. Rows from spool files can be dropped at any time, as they are read again;
 * lines of the host are nowhere else and survive a failed commit.
 */
export class PendingRows {
  logs: LogRow[] = [];
  metrics: MetricRow[] = [];
  /** Highest seq given out, and the ts of the newest row: it never decreases, whatever the clock does. */
  seq = 0;
  ts = 0;
  /** Lines of the host that were given up since the last commit. */
  dropped = 0;
  #hostLines: HostLine[] = [];
  #takenHostLines: HostLine[] = [];

  get count(): number {
    return this.logs.length + this.metrics.length + this.#hostLines.length;
  }

  /** Rows that already have their seq. */
  get taken(): number {
    return this.logs.length + this.metrics.length;
  }

  tick(now: number): void {
    this.ts = Math.max(this.ts, now);
  }

  addHostLine(line: HostLine): void {
    this.#hostLines.push(line);
    if (this.#hostLines.length <= MAX_HOST_LINES) return;
    this.#hostLines.shift();
    this.dropped++;
  }

  /** Gives the waiting lines of the host their seq. */
  takeHostLines(masker: BotMasker, now: number): void {
    if (this.#hostLines.length === 0) return;
    this.tick(now);
    for (const line of this.#hostLines) {
      const { text, spans } = masker.mask(line.message);
      this.#addLog(line.runId, sourceNumber('host'), levelNumber(line.level), false, text, null, null, spans);
    }
    this.#takenHostLines.push(...this.#hostLines);
    this.#hostLines = [];
  }

  add(file: SpoolFile, taken: TakenLine, continued: boolean): void {
    if (taken.kind === 'log') {
      const source = sourceNumber(file.source);
      const { level, line, time, fields, masked } = taken;
      this.#addLog(file.runId, source, level, continued, line, time, fields, masked);
      return;
    }
    const { type, time, data, symbol, values } = taken;
    this.metrics.push({ seq: ++this.seq, ts: this.ts, time, type, run: file.runId, data, symbol, values });
  }

  committed(): void {
    this.logs = [];
    this.metrics = [];
    this.#takenHostLines = [];
    this.dropped = 0;
  }

  discard(): void {
    this.logs = [];
    this.metrics = [];
    this.#hostLines = [...this.#takenHostLines, ...this.#hostLines];
    this.#takenHostLines = [];
  }

  #addLog(
    run: string | null,
    source: number,
    level: number,
    continued: boolean,
    line: string,
    time: number | null,
    fields: string | null,
    masked: number,
  ): void {
    const meta = packMeta({ level, source, continued, nul: line.includes('\0'), masked });
    this.logs.push({ seq: ++this.seq, ts: this.ts, meta, run, line, time, fields });
  }
}
