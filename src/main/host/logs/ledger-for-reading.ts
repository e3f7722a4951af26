import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { LedgerRate } from '../../../contract/ledger.ts';
import { isDamaged } from '../../../node/storage-error.ts';
import { errorText } from '../../../node/system-error.ts';
import { ledgerFile, openLedgerForReading } from '../ledger/ledger-database.ts';
import { LedgerReader } from '../ledger/ledger-reader.ts';
import type { BotReaders } from './bot-readers.ts';
import type { BotMasker } from './create-bot-masker.ts';

/** The ledger for reading, opened when it is first asked for. */
export class LedgerForReading {
  readonly #file: string;
  readonly #readers: BotReaders;
  #reader: LedgerReader | null = null;

  constructor(dataDir: string, readers: BotReaders) {
    this.#file = ledgerFile(dataDir);
    this.#readers = readers;
  }

  /** Runs a read with the masker of a bot; the ledger is null where the host has none yet. */
  read<Result>(botId: string, read: (ledger: LedgerReader | null, masker: BotMasker) => Result): Result {
    return this.#reading((ledger) => read(ledger, this.#readers.masker(botId)));
  }

  #reading<Result>(read: (ledger: LedgerReader | null) => Result): Result {
    try {
      return read(this.#opened());
    } catch (error) {
      if (!isDamaged(error)) throw error;
      throw new PlatformError('INTERNAL', `The ledger is damaged (${errorText(error)})`, {
        hint: '`platform doctor` says how to mend it. Rows that come meanwhile wait in the logs of bots.',
        cause: error,
      });
    }
  }

  /** The newest rates of these bots up to a time (ms since the epoch); none where the host has no ledger yet. */
  rates(botIds: readonly string[], until: number): LedgerRate[] {
    return this.#reading((reader) =>
      (reader?.rates(botIds, until) ?? []).map(({ bot, at, ...rate }) => ({
        ...rate,
        bot_id: bot,
        at: toTimestamp(at),
      })),
    );
  }

  close(): void {
    this.#reader?.close();
    this.#reader = null;
  }

  #opened(): LedgerReader | null {
    if (this.#reader === null) {
      const db = openLedgerForReading(this.#file);
      if (db !== null) this.#reader = new LedgerReader(db);
    }
    return this.#reader;
  }
}
