import type { StateFingerprint } from './state-fingerprint.ts';

/** A key as it lies in the state of a bot. */
export interface StoredKey {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** The text of a key as it was found at a moment. */
export interface StoredText extends Omit<StoredKey, 'key'> {
  readonly text: string;
  /** It did not change while it was read. */
  readonly still: boolean;
}

/** What a state takes. */
export interface StateMeasure {
  readonly bytes: number;
  /** Folders that the bot has closed, which are not counted. */
  readonly closed: readonly string[];
}

/**
 * The persisted state of one bot, wherever its engine keeps it. The bot's own programs write there at any time, and are
 * not trusted. Callers check keys, sizes and whether the bot runs.
 */
export interface StateView {
  list(): Promise<readonly StoredKey[]>;
  /** Null when there is no such key. Throws TOO_LARGE for more than a value may have. */
  read(key: string): Promise<StoredText | null>;
  /** Replaces a value as a whole. */
  write(key: string, text: string): Promise<void>;
  /** False when there was no such key. */
  delete(key: string): Promise<boolean>;
  /** Everything in the state, also beside its keys; `without`: all but this key. */
  measure(without?: string): Promise<StateMeasure>;
  /** Tells whether the state has changed; null for one that cannot be watched. */
  fingerprint(): Promise<StateFingerprint | null>;
  /** Removes unfinished writes and returns their number. Only while no program of the bot runs. */
  sweep(): Promise<number>;
  /** A folder of this machine that holds all of the state, as it is or just was: for a backup. */
  snapshot(): Promise<string>;
}
