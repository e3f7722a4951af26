import type { StateFingerprint } from './state-fingerprint.ts';

/** A key as it lies in the state of a bot. */
export interface StoredKey {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** The text of a key at the moment of reading. */
export interface StoredText extends Omit<StoredKey, 'key'> {
  readonly text: string;
  /** True if the value did not change while it was read. */
  readonly still: boolean;
}

/** Size of a state. */
export interface StateMeasure {
  readonly bytes: number;
  /** Folders that the bot has made unreadable, which are not counted. */
  readonly closed: readonly string[];
}

/**
 * The persisted state of one bot, wherever its engine keeps it. The bot's own programs may write to it at any time and
 * are not trusted. Callers check keys, sizes and whether the bot runs.
 */
export interface StateView {
  list(): Promise<readonly StoredKey[]>;
  /** Returns the text of a key; null when the key is missing. Throws TOO_LARGE for a text above the limit of a value. */
  read(key: string): Promise<StoredText | null>;
  /** Replaces a value as a whole. */
  write(key: string, text: string): Promise<void>;
  /** Removes a key; false when it is missing. */
  delete(key: string): Promise<boolean>;
  /** Measures everything in the state, including files that are not keys; `without`: all but this key. */
  measure(without?: string): Promise<StateMeasure>;
  /** Returns the fingerprint of the state; null for a state that cannot be watched. */
  fingerprint(): Promise<StateFingerprint | null>;
  /** Removes unfinished writes and returns their number. Only while no program of the bot runs. */
  sweep(): Promise<number>;
  /** Returns a folder of this machine with the whole state at present or a moment ago, for a backup. */
  snapshot(): Promise<string>;
}
