import type { LogLevel } from '../../../contract/telemetry.ts';
import type { LedgerSourceRow } from '../ledger/book-writer.ts';
import { bookedAt } from '../ledger/read-row.ts';
import { isKeptType } from '../ledger/vocabulary.ts';
import { type LinePlace, NewLines } from './blocks/new-lines.ts';
import { ERROR } from './classify-json-line.ts';
import type { BotMasker } from './create-bot-masker.ts';
import { MOST_FOLDED, OUTSIDE, stepTrace, type TracePlace } from './fold-trace.ts';
import type { TakenLine } from './line-intake.ts';
import { packMeta, unpackMeta } from './line-meta.ts';
import type { MetricRow } from './log-database-write.ts';
import type { SpoolFile } from './telemetry-types.ts';
import { textLevel } from './text-level.ts';
import { levelNumber, sourceNumber } from './wire-entries.ts';

/** Limit of lines of the host kept in memory while a log cannot be written. */
const MAX_HOST_LINES = 1000;

const noText = (): null => null;

/** A line of the host itself in a bot's log. */
export interface HostLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly runId: string | null;
  /** What it tells, where the log shall tell it once: a key of `state`. */
  readonly tells?: string;
}

/**
 * Rows of one bot between reading and commit. Rows from spool files can be dropped at any time, because they can be
 * read again; lines of the host exist only here and survive a failed commit.
 */
export class PendingRows {
  readonly logs = new NewLines();
  metrics: MetricRow[] = [];
  /** Those among the metrics that the ledger takes. */
  ledger: LedgerSourceRow[] = [];
  /** Highest seq given out, and the ts of the newest row, which never decreases, even when the clock does. */
  seq = 0;
  ts = 0;
  /** Number of lines of the host that were dropped since the last commit. */
  dropped = 0;
  #metricChars = 0;
  #hostLines: HostLine[] = [];
  #takenHostLines: HostLine[] = [];
  /** The file whose line was added last; null when another line was added, or when it was stored. */
  #last: SpoolFile | null = null;
  /** Position in a traceback by file, now and at the last commit, from which reading restarts. */
  #traces = new Map<string, TracePlace>();
  #storedTraces = new Map<string, TracePlace>();
  readonly #lastText = (): string | null => this.logs.lastText();

  get count(): number {
    return this.logs.count + this.metrics.length + this.#hostLines.length;
  }

  /** What the lines of the host tell that have their seq. */
  get told(): string[] {
    return this.#takenHostLines.flatMap(({ tells }) => tells ?? []);
  }

  /** The file whose traceback the newest line is inside of; null where it is inside of none. */
  get traceFile(): SpoolFile | null {
    const place = this.#last === null ? undefined : this.#traces.get(this.#last.path);
    return place === undefined || place === 'behind' ? null : this.#last;
  }

  /** Bytes of these rows, at least. */
  get bytes(): number {
    return this.logs.bytes + this.#metricChars;
  }

  /** Rows that already have their seq. */
  get taken(): number {
    return this.logs.count + this.metrics.length;
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

  /** Assigns a seq to each waiting line of the host, unless the log has told it. */
  takeHostLines(masker: BotMasker, now: number, hasTold: (key: string) => boolean): void {
    if (this.#hostLines.length === 0) return;
    this.tick(now);
    const lines = this.#hostLines.filter(({ tells }) => tells === undefined || !hasTold(tells));
    for (const line of lines) {
      const { text, spans } = masker.mask(line.message);
      this.#addLog(line.runId, sourceNumber('host'), levelNumber(line.level), false, text, null, null, spans);
    }
    this.#last = null;
    this.#takenHostLines.push(...lines);
    this.#hostLines = [];
  }

  add(file: SpoolFile, taken: TakenLine, continued: boolean): void {
    if (taken.kind === 'metric') {
      const { type, time, data, symbol, symbols, values } = taken;
      this.#last = null;
      this.#metricChars += data.length;
      this.metrics.push({ seq: ++this.seq, ts: this.ts, time, type, run: file.runId, data, symbol, symbols, values });
      if (isKeptType(type)) {
        const mode = file.facts?.mode ?? 'unverified';
        this.ledger.push({ seq: this.seq, at: bookedAt(time, this.ts), type, text: data, mode });
      }
      return;
    }
    const { line, time, fields, masked } = taken;
    const isText = time === null && fields === null;
    if (this.#folds(file, isText ? line : null, masked)) return;
    const level = this.#traces.has(file.path) ? ERROR : taken.level;
    this.#addLog(file.runId, sourceNumber(file.source), level, continued, line, time, fields, masked);
    this.#last = continued ? null : file;
  }

  /** Adds a whole line of text that needs no masking, from its UTF-8 bytes at a place in a buffer. */
  addPlain(file: SpoolFile, line: string, bytes: Buffer, place: LinePlace): void {
    if (this.#folds(file, line, 0)) return;
    const level = this.#traces.has(file.path) ? ERROR : textLevel(line);
    const meta = packMeta({ level, source: sourceNumber(file.source), continued: false, nul: false, masked: 0 });
    this.logs.addPlain(++this.seq, this.ts, meta, file.runId, bytes, place);
    this.#last = file;
  }

  /** True if a line of text joins the entry before it, because both belong to one traceback; null: a structured line. */
  #folds(file: SpoolFile, line: string | null, masked: number): boolean {
    const place = this.#traces.size === 0 ? 'outside' : (this.#traces.get(file.path) ?? 'outside');
    const follows = this.#last === file;
    const step = line === null ? OUTSIDE : stepTrace(place, line, follows ? this.#lastText : noText);
    if (step.place !== place) {
      if (step.place === 'outside') this.#traces.delete(file.path);
      else this.#traces.set(file.path, step.place);
    }
    // Nearly every line ends here, without a look at the entry before it.
    if (line === null || !follows || (!step.folds && step.foldsIntoError !== true)) return false;
    const { logs } = this;
    if (logs.lastBytes() + Buffer.byteLength(line) > MOST_FOLDED) return false;
    const meta = unpackMeta(logs.metas.at(-1) ?? 0);
    const isLogged = place === 'outside' && meta.level === ERROR && logs.fields.at(-1) === null;
    if (!step.folds && !isLogged) return false;
    const whole = { level: ERROR, masked: meta.masked + masked, nul: meta.nul || line.includes('\0') };
    logs.extendLast(line, packMeta({ ...meta, ...whole }));
    return true;
  }

  committed(): void {
    this.#last = null;
    this.#storedTraces = new Map(this.#traces);
    this.#clear();
    this.#takenHostLines = [];
    this.dropped = 0;
  }

  discard(): void {
    this.#last = null;
    this.#traces = new Map(this.#storedTraces);
    this.#clear();
    this.#hostLines = [...this.#takenHostLines, ...this.#hostLines];
    this.#takenHostLines = [];
  }

  #clear(): void {
    this.logs.clear();
    this.metrics = [];
    this.ledger = [];
    this.#metricChars = 0;
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
    this.logs.add({ seq: ++this.seq, ts: this.ts, meta, run, line, time, fields });
  }
}
