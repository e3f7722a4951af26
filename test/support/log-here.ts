import { mkdirSync } from 'node:fs';
import type { LostPart } from '../../src/main/host/logs/blocks/block-table.ts';
import { lostMessage } from '../../src/main/host/logs/blocks/lost-message.ts';
import { NewLines } from '../../src/main/host/logs/blocks/new-lines.ts';
import { BotLog } from '../../src/main/host/logs/bot-log.ts';
import { packMeta } from '../../src/main/host/logs/line-meta.ts';
import { LogReader } from '../../src/main/host/logs/log-database-read.ts';
import type { MetricRow, SpoolRow } from '../../src/main/host/logs/log-database-write.ts';
import { LogRetention, type Retention } from '../../src/main/host/logs/log-retention.ts';
import { segmentsIn } from '../../src/main/host/logs/log-segments.ts';
import { type LogSession, nextSession, openLogSession } from '../../src/main/host/logs/log-session.ts';
import { openLogs } from '../../src/main/host/logs/segment-set.ts';
import type { RunFacts } from '../../src/main/host/logs/telemetry-types.ts';
import { tempDir } from './temp.ts';

export { LogReader };

/** A row of a log before it has its seq. */
export type Said =
  | { readonly line: string; readonly level: number; readonly run: string; readonly fields?: string }
  | {
      readonly type: string;
      readonly symbol: string | null;
      readonly values: Readonly<Record<string, number>>;
      readonly time: number | null;
      readonly run: string;
    };

/** The log of one bot, written without a host. */
export class LogHere {
  readonly dir: string;
  readonly warnings: string[] = [];
  releases = 0;
  readonly #parts = {
    onLost: (file: string, lost: LostPart): void => {
      this.warnings.push(lostMessage(file, lost));
    },
    factsOf: (runId: string): RunFacts | null => this.facts.get(runId) ?? null,
  };
  /** What is known of runs. */
  readonly facts = new Map<string, RunFacts>();
  readonly #retention: LogRetention;
  #session: LogSession;
  seq: number;

  constructor(dir = `${tempDir('log-here-')}/bot`, now = 0) {
    this.dir = dir;
    mkdirSync(dir, { recursive: true });
    this.#session = openLogSession({
      ...this.#parts,
      dir,
      now,
      damage: null,
      memory: null,
      onSetAside: (path, reason) => this.warnings.push(`${path}: ${reason}`),
    });
    this.seq = this.#session.seq;
    this.#retention = new LogRetention(dir, {
      warn: (message) => this.warnings.push(message),
      release: () => {
        this.releases += 1;
      },
      hasTaken: () => true,
    });
  }

  /** Stores rows of one time by one transaction. */
  write(ts: number, said: readonly Said[], spools: readonly SpoolRow[] = []): void {
    const logs = new NewLines();
    const metrics: MetricRow[] = [];
    for (const one of said) {
      this.seq += 1;
      const { run } = one;
      if ('line' in one) {
        const meta = packMeta({ level: one.level, source: 0, continued: false, nul: false, masked: 0 });
        logs.add({ seq: this.seq, ts, meta, run, line: one.line, time: null, fields: one.fields ?? null });
      } else {
        const { type, symbol, time } = one;
        const data = JSON.stringify({ symbol, ...one.values });
        const symbols = symbol === null ? [] : [symbol];
        metrics.push({ seq: this.seq, ts, time, type, run, data, symbol, symbols, values: Object.entries(one.values) });
      }
    }
    this.#session.writer.write({ logs, metrics, spools, dropped: 0, told: [], seq: this.seq, ts });
  }

  /** The next segment is begun; false when there is no room for it. */
  next(): boolean {
    const next = nextSession(this.dir, this.#session, this.#parts);
    if (next !== null) this.#session = next;
    return next !== null;
  }

  spool(path: string): SpoolRow | null {
    return this.#session.spool(path);
  }

  retain(rule: Retention, now: number): boolean {
    return this.#retention.step(rule, now);
  }

  /** Everything that retention has to do. */
  retainAll(rule: Retention, now: number): void {
    while (this.retain(rule, now));
  }

  segments(): number[] {
    return segmentsIn(this.dir);
  }

  /** Opens it again, as another host would. */
  again(now: number): LogHere {
    this.close();
    return new LogHere(this.dir, now);
  }

  close(): void {
    this.#session.close();
  }
}

/** Reads a log as a host does. */
export function readerOf(dir: string, open = openLogs(failOnLoss)): BotLog {
  const log = new BotLog(dir, open);
  log.refresh();
  return log;
}

function failOnLoss(file: string, lost: LostPart): never {
  throw new Error(lostMessage(file, lost));
}
