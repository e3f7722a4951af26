import { statSync } from 'node:fs';
import { PlatformError } from '../../contract/errors.ts';
import { isDamaged, logDatabasePath, openLogDatabaseForReading } from '../store/log-database.ts';
import { LogReader } from '../store/log-database-read.ts';
import { type BotMasker, createBotMasker } from './bot-masker.ts';

/** Connections kept open; the one unused longest is closed first. */
const MAX_OPEN = 64;

interface OpenReader {
  readonly reader: LogReader;
  readonly ino: number;
  /** Searches that are still stepping through it; it is closed after the last one. */
  users: number;
  stale: boolean;
}

export type OnDamage = (botId: string, ino: number, message: string) => void;

/**
 * Read-only connections to log databases, one per bot that is being looked at, and the secrets to mask again at read.
 * A bot that never said anything has no database: it reads as null.
 */
export class BotReaders {
  readonly #dataDir: string;
  readonly #onDamage: OnDamage;
  readonly #open = new Map<string, OpenReader>();
  readonly #maskers = new Map<string, BotMasker>();
  readonly #plain = createBotMasker([]);

  constructor(dataDir: string, onDamage: OnDamage) {
    this.#dataDir = dataDir;
    this.#onDamage = onDamage;
  }

  setSecrets(botId: string, secrets: readonly string[]): void {
    this.#maskers.set(botId, createBotMasker(secrets));
  }

  use<Result>(botId: string, read: (reader: LogReader | null, masker: BotMasker) => Result): Result {
    const open = this.#reader(botId);
    try {
      return read(open?.reader ?? null, this.#masker(botId));
    } catch (error) {
      throw this.#explain(botId, open, error);
    }
  }

  async useAsync<Result>(
    botId: string,
    read: (reader: LogReader | null, masker: BotMasker) => Promise<Result>,
  ): Promise<Result> {
    const open = this.#reader(botId);
    if (open !== null) open.users++;
    try {
      return await read(open?.reader ?? null, this.#masker(botId));
    } catch (error) {
      throw this.#explain(botId, open, error);
    } finally {
      if (open !== null && --open.users === 0 && open.stale) open.reader.close();
    }
  }

  forget(botId: string): void {
    this.#drop(botId);
    this.#maskers.delete(botId);
  }

  close(): void {
    for (const botId of [...this.#open.keys()]) this.#drop(botId);
  }

  #masker(botId: string): BotMasker {
    return this.#maskers.get(botId) ?? this.#plain;
  }

  #reader(botId: string): OpenReader | null {
    const file = logDatabasePath(this.#dataDir, botId);
    const found = statSync(file, { throwIfNoEntry: false });
    const known = this.#open.get(botId);
    // A damaged file is replaced by a fresh one under the same name: the old connection would go on reading the old.
    if (known !== undefined && known.ino === found?.ino) {
      this.#open.delete(botId);
      this.#open.set(botId, known);
      return known;
    }
    if (known !== undefined) this.#drop(botId);
    if (found === undefined || found.size === 0) return null;
    try {
      const reader = new LogReader(openLogDatabaseForReading(file));
      const open = { reader, ino: found.ino, users: 0, stale: false };
      this.#open.set(botId, open);
      this.#makeRoom();
      return open;
    } catch (error) {
      throw this.#explain(botId, { ino: found.ino }, error);
    }
  }

  #makeRoom(): void {
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#drop(oldest);
  }

  #drop(botId: string): void {
    const open = this.#open.get(botId);
    this.#open.delete(botId);
    if (open === undefined) return;
    if (open.users === 0) open.reader.close();
    else open.stale = true;
  }

  #explain(botId: string, open: { readonly ino: number } | null, error: unknown): unknown {
    if (open === null || !isDamaged(error)) return error;
    const message = error instanceof Error ? error.message : String(error);
    this.#drop(botId);
    this.#onDamage(botId, open.ino, message);
    return new PlatformError('INTERNAL', `The log database of this bot is damaged (${message})`, {
      hint: 'It is being put aside and a fresh one started; lines from now on can be read in a moment.',
      cause: error,
    });
  }
}
