import { basename, dirname } from 'node:path';
import { PlatformError } from '../../../contract/errors.ts';
import type { LostPart } from './blocks/block-table.ts';
import { BotLog } from './bot-log.ts';
import { type BotMasker, createBotMasker } from './create-bot-masker.ts';
import { logFolder } from './log-segments.ts';
import { DamagedLog, type OpenLogs, openLogs } from './segment-set.ts';

/** A file of a bot's log is damaged; `ino` says which one of that name. */
export type OnDamage = (botId: string, file: string, ino: number, message: string) => void;

/** A part of a segment cannot be read; all else of it can. */
export type OnLostPart = (botId: string, file: string, lost: LostPart) => void;

/**
 * Read-only views of the logs that are being read, and the secrets to mask again at read. A bot that never logged anything has
 * no database: it reads as null.
 */
export class BotReaders {
  readonly #dataDir: string;
  readonly #rowKey: string;
  readonly #onDamage: OnDamage;
  readonly #open: OpenLogs;
  readonly #logs = new Map<string, BotLog>();
  readonly #maskers = new Map<string, BotMasker>();
  readonly #plain = createBotMasker([]);

  constructor(dataDir: string, rowKey: string, onDamage: OnDamage, onLost: OnLostPart) {
    this.#dataDir = dataDir;
    this.#rowKey = rowKey;
    this.#onDamage = onDamage;
    // A folder is named after its bot (logFolder).
    this.#open = openLogs((file, lost) => onLost(basename(dirname(file)), basename(file), lost));
  }

  setSecrets(botId: string, secrets: readonly string[]): void {
    this.#maskers.set(botId, createBotMasker(secrets, this.#rowKey));
  }

  use<Result>(botId: string, read: (log: BotLog | null, masker: BotMasker) => Result): Result {
    try {
      return read(this.#log(botId), this.masker(botId));
    } catch (error) {
      throw this.#explain(botId, error);
    }
  }

  /** Connections may be closed while the read waits: each of its steps opens what it needs. */
  async useAsync<Result>(
    botId: string,
    read: (log: BotLog | null, masker: BotMasker) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await read(this.#log(botId), this.masker(botId));
    } catch (error) {
      throw this.#explain(botId, error);
    }
  }

  forget(botId: string): void {
    this.release(botId);
    this.#logs.delete(botId);
    this.#maskers.delete(botId);
  }

  release(botId: string): void {
    this.#logs.get(botId)?.release();
  }

  close(): void {
    this.#logs.clear();
    this.#open.segments.closeAll();
    this.#open.rollups.closeAll();
  }

  /** Masks what is read of a bot. */
  masker(botId: string): BotMasker {
    return this.#maskers.get(botId) ?? this.#plain;
  }

  #log(botId: string): BotLog | null {
    let log = this.#logs.get(botId);
    if (log === undefined) {
      log = new BotLog(logFolder(this.#dataDir, botId), this.#open);
      this.#logs.set(botId, log);
    }
    return log.refresh() ? log : null;
  }

  #explain(botId: string, error: unknown): unknown {
    if (!(error instanceof DamagedLog)) return error;
    this.#onDamage(botId, error.file, error.ino, error.message);
    return new PlatformError('INTERNAL', `The log database of this bot is damaged (${error.message})`, {
      hint: 'The damaged part is being set aside; the rest can be read in a moment.',
      cause: error,
    });
  }
}
