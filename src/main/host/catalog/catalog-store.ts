import type { JsonObject } from '../../../contract/common.ts';
import type { CustomBotVersion } from '../../../contract/custom-bot.ts';

/** One published version as it is stored. Immutable: there is no update. */
export interface CatalogRow {
  readonly userId: string;
  /** Everything that surfaces return about the version; `record.name` and `record.version` are its key. */
  readonly record: CustomBotVersion;
  /** The parsed bot-schema.json. */
  readonly schema: JsonObject;
}

/**
 * Where the catalogue keeps its records: one row per user, custom bot name and version. Synchronous, so that a check
 * and the write that follows it cannot be interleaved.
 */
export interface CatalogStore {
  /** Adds a row; throws when the user already has that name and version. */
  insertVersion(row: CatalogRow): void;
  getVersion(userId: string, name: string, version: string): CatalogRow | null;
  /** Versions of one custom bot, unordered; empty for an unknown one. */
  listVersions(userId: string, name: string): readonly string[];
  /** Every record of a user, in any order. */
  list(userId: string): readonly CustomBotVersion[];
  /** Removes a row; false when there was none. Throws when an instance still refers to it. */
  deleteVersion(userId: string, name: string, version: string): boolean;
  /** Keys of all rows of all users, to find folders that no row knows. */
  keys(): Iterable<{ readonly userId: string; readonly name: string; readonly version: string }>;
}
