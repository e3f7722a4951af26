import type { LogLevel } from '../../../contract/telemetry.ts';
import type { BotMasker } from './bot-masker.ts';
import { ERROR } from './classify-json-line.ts';
import { MOST_FOLDED, OUTSIDE, stepTrace, type TracePlace } from './fold-trace.ts';
import type { TakenLine } from './line-intake.ts';
import { packMeta, unpackMeta } from './log-database.ts';
import type { LogRow, MetricRow } from './log-database-write.ts';
import type { SpoolFile } from './telemetry-types.ts';
import { levelNumber, sourceNumber } from './wire-entries.ts';

/** Limit of lines of the host kept in memory while a log cannot be written. */
const MAX_HOST_LINES = 1000;

/** A line of the host itself in a bot's log. */
export interface HostLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly runId: string | null;
}

/**
 * Rows of one bot between reading and commit. Rows from spool files can be dropped at any time, because they can be
 * read again; lines of the host exist only here and survive a failed commit.
 */
export class PendingRows {
  logs: LogRow[] = [];
  metrics: MetricRow[] = [];
  /** Highest seq given out, and the ts of the newest row, which never decreases, even when the clock does. */
  seq = 0;
  ts = 0;
  /** Number of lines of the host that were dropped since the last commit. */
  dropped = 0;
  #hostLines: HostLine[] = [];
  #takenHostLines: HostLine[] = [];
  /** The file whose line was added last; null when another line was added, or when it was stored. */
  #last: SpoolFile | null = null;
  /** Position in a traceback by file, now and at the last commit, from which reading restarts. */
  #traces = new Map<string, TracePlace>();
  #storedTraces = new Map<string, TracePlace>();

  get count(): number {
    return this.logs.length + this.metrics.length + this.#hostLines.length;
  }

  /** The file whose traceback the newest line is inside of; null where it is inside of none. */
  get traceFile(): SpoolFile | null {
    const place = this.#last === null ? undefined : this.#traces.get(this.#last.path);
    return place === undefined || place === 'behind' ? null : this.#last;
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

  /** Assigns a seq to each waiting line of the host. */
  takeHostLines(masker: BotMasker, now: number): void {
    if (this.#hostLines.length === 0) return;
    this.tick(now);
    for (const line of this.#hostLines) {
      const { text, spans } = masker.mask(line.message);
      this.#addLog(line.runId, sourceNumber('host'), levelNumber(line.level), false, text, null, null, spans);
    }
    this.#last = null;
    this.#takenHostLines.push(...this.#hostLines);
    this.#hostLines = [];
  }

  add(file: SpoolFile, taken: TakenLine, continued: boolean): void {
    if (taken.kind === 'log') {
      const source = sourceNumber(file.source);
      const { line, time, fields, masked } = taken;
      if (this.#folds(file, taken)) return;
      const level = this.#traces.has(file.path) ? ERROR : taken.level;
      this.#addLog(file.runId, source, level, continued, line, time, fields, masked);
      this.#last = continued ? null : file;
      return;
    }
    const { type, time, data, symbol, symbols, values } = taken;
    this.#last = null;
    this.metrics.push({ seq: ++this.seq, ts: this.ts, time, type, run: file.runId, data, symbol, symbols, values });
  }

  /** True if a line of text joins the entry before it, because both belong to one traceback. */
  #folds(file: SpoolFile, { line, time, fields, masked }: Extract<TakenLine, { kind: 'log' }>): boolean {
    const place = this.#traces.get(file.path) ?? 'outside';
    const last = this.#last === file ? this.logs.at(-1) : undefined;
    const isText = time === null && fields === null;
    const step = isText ? stepTrace(place, line, last?.line ?? null) : OUTSIDE;
    if (step.place !== place) {
      if (step.place === 'outside') this.#traces.delete(file.path);
      else this.#traces.set(file.path, step.place);
    }
    // Nearly every line ends here, without a look at the entry before it.
    if (!step.folds && step.foldsIntoError !== true) return false;
    if (last === undefined || last.line.length + line.length > MOST_FOLDED) return false;
    const meta = unpackMeta(last.meta);
    const isLogged = place === 'outside' && meta.level === ERROR && last.fields === null;
    if (!step.folds && !isLogged) return false;
    const whole = { level: ERROR, masked: meta.masked + masked, nul: meta.nul || line.includes('\0') };
    this.logs[this.logs.length - 1] = {
      ...last,
      meta: packMeta({ ...meta, ...whole }),
      line: `${last.line}\n${line}`,
    };
    return true;
  }

  committed(): void {
    this.#last = null;
    this.#storedTraces = new Map(this.#traces);
    this.logs = [];
    this.metrics = [];
    this.#takenHostLines = [];
    this.dropped = 0;
  }

  discard(): void {
    this.#last = null;
    this.#traces = new Map(this.#storedTraces);
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
