import type { JsonObject } from '../../contract/common.ts';

/** Masked text with the number of masked places. */
export interface MaskedText {
  readonly text: string;
  readonly spans: number;
}

/** Masks the lines of one stream in order; it remembers a private key block that spans lines. */
export interface LineStream {
  /** Inside such a block: the next line must be masked whatever the gate says. */
  readonly open: boolean;
  mask(line: string): MaskedText;
  /** Names and texts of a JSON object. Returns the same object when nothing was masked. */
  maskJson(value: JsonObject): { readonly value: JsonObject; readonly spans: number };
}

/** The masker of one bot: rules for all, and this bot's own secret values. */
export interface BotMasker {
  /** Bytes within which every secret of this bot can be recognised. */
  readonly overlap: number;
  /** Finds line ends in `bytes[from, to)` and flags the lines that may hold a secret; returns their number. */
  scan(bytes: Buffer, from: number, to: number, ends: Uint32Array, flags: Uint8Array): number;
  newStream(): LineStream;
}
export declare function createBotMasker(secrets: readonly string[]): BotMasker;
