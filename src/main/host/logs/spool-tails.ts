import type { BotMasker } from './create-bot-masker.ts';
import type { SpoolRow } from './log-database-write.ts';
import type { LogSession } from './log-session.ts';
import { type ReadBuffers, SpoolTail } from './spool-tail.ts';
import type { RunFacts, SpoolFile } from './telemetry-types.ts';

/** The spool files of one bot that are read, and how far each was stored at the last commit. */
export class SpoolTails {
  readonly #buffers: ReadBuffers;
  readonly #report: (message: string) => void;
  readonly #tails = new Map<string, SpoolTail>();
  /** Offsets at the last commit, from which a fresh segment after a damaged one starts. */
  readonly #committed = new Map<string, SpoolRow>();

  constructor(buffers: ReadBuffers, report: (message: string) => void) {
    this.#buffers = buffers;
    this.#report = report;
  }

  get isEmpty(): boolean {
    return this.#tails.size === 0;
  }

  [Symbol.iterator](): Iterator<SpoolTail> {
    return this.#tails.values();
  }

  has(path: string): boolean {
    return this.#tails.has(path);
  }

  find(path: string): SpoolTail | undefined {
    return this.#tails.get(path);
  }

  add(file: SpoolFile, masker: BotMasker): SpoolTail {
    const tail = new SpoolTail(file, masker);
    this.#tails.set(file.path, tail);
    return tail;
  }

  /** Those of which something is not stored yet. */
  dirty(): SpoolTail[] {
    return [...this.#tails.values()].filter((tail) => tail.dirty);
  }

  useMasker(masker: BotMasker): void {
    for (const tail of this.#tails.values()) this.#guard(tail, () => tail.useMasker(masker, this.#buffers));
  }

  /**
   * Goes back to what is stored of a file. A damaged segment loses its offsets: an older one may then have a lower offset
   * than was committed.
   */
  restore(tail: SpoolTail, session: LogSession | null, masker: BotMasker): void {
    const { path } = tail.file;
    const stored = session?.spool(path) ?? null;
    const committed = this.#committed.get(path) ?? null;
    const row = (committed?.offset ?? -1) > (stored?.offset ?? -1) ? committed : stored;
    const isEnd = row === committed || session?.afterLoss !== true;
    this.#guard(tail, () => tail.restore(row, masker, this.#buffers, isEnd));
    if (row !== stored) tail.dirty = true;
  }

  restoreAll(session: LogSession | null, masker: BotMasker): void {
    for (const tail of this.#tails.values()) this.restore(tail, session, masker);
  }

  /** Remembers the offsets that a commit has stored. */
  committed(rows: readonly SpoolRow[]): void {
    for (const row of rows) this.#committed.set(row.path, row);
  }

  /** Closes the files that are stored to their end. Returns the runs that still have one. */
  closeDrained(): Set<string> {
    for (const [path, tail] of this.#tails) {
      if (!tail.drained || tail.dirty) continue;
      tail.close();
      this.#tails.delete(path);
      this.#committed.delete(path);
    }
    return new Set([...this.#tails.values()].map((tail) => tail.file.runId));
  }

  factsOf(runId: string): RunFacts | null {
    for (const { file } of this.#tails.values()) if (file.runId === runId) return file.facts ?? null;
    return null;
  }

  close(): void {
    for (const tail of this.#tails.values()) tail.close();
    this.#tails.clear();
  }

  /** Runs work on a file; reports an unreadable file, which is tried again at its next turn. */
  #guard(tail: SpoolTail, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#report(`${tail.file.path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
