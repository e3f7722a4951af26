import { createHmac } from 'node:crypto';
import type { JsonObject } from '../../../contract/common.ts';
import { createMasker, type Masker } from './mask/masker.ts';
import { MASK, type Masked } from './mask/spans.ts';
import { maskLedgerRow, type RowMask } from './mask-ledger-row.ts';

/** Limit of text to examine beyond a cut; the masker accepts a form that matches that far. */
const MAX_OVERLAP = 64 * 1024;

/** Masks the lines of one stream in order, including a private key block that spans lines. */
export interface LineStream {
  /** True inside such a block: the next line must be masked whatever the keyword automaton finds. */
  readonly open: boolean;
  mask(line: string): Masked;
}

/** Masker of one bot, as ingest and readers use it. */
export interface BotMasker {
  /** Time spent on masking so far, in ms, without finding lines. */
  readonly spentMs: number;
  /** Bytes within which every secret of this bot can be recognised. */
  readonly overlap: number;
  /** Finds line ends in `bytes[from, to)` and flags the lines that may hold a secret; returns their number. */
  scan(bytes: Buffer, from: number, to: number, ends: Uint32Array, flags: Uint8Array): number;
  newStream(): LineStream;
  /** Masks one line by itself. */
  mask(line: string): Masked;
  /** Masks names and texts of a JSON object; returns the same object when nothing was masked. */
  maskJson(value: JsonObject): { readonly value: JsonObject; readonly spans: number };
  /** Masks a row of the ledger (mask-ledger-row.ts); returns the same object when nothing was masked. */
  maskRow(row: JsonObject): { readonly value: JsonObject; readonly spans: number };
}

/** Hex digits that tell two masked texts apart. */
const SUFFIX_DIGITS = 16;

/**
 * Creates the masker of one bot: the rules for all bots and the bot's own secret values. `rowKey` keeps what identifies rows
 * of the ledger different where it is masked.
 */
export function createBotMasker(secrets: readonly string[], rowKey = ''): BotMasker {
  const masker = createMasker(secrets);
  let spentMs = 0;
  const timed = <T>(work: () => T): T => {
    const start = performance.now();
    const done = work();
    spentMs += performance.now() - start;
    return done;
  };
  const rowMask: RowMask = {
    maskIdentity: (text) => (masker.holdsValue(text) ? `${MASK}-${suffixOf(text, rowKey)}` : text),
    maskJson: (value) => maskObject(masker, value),
  };
  return {
    get spentMs() {
      return spentMs;
    },
    overlap: Math.min(masker.overlap, MAX_OVERLAP),
    scan: (bytes, from, to, ends, flags) => masker.scan(bytes, from, to, ends, flags),
    newStream: () => {
      const stream = masker.newStream();
      return {
        get open() {
          return stream.inBlock;
        },
        mask: (line) => timed(() => stream.maskLine(line)),
      };
    },
    mask: (line) => timed(() => masker.maskLine(line)),
    maskJson: (value) => timed(() => maskObject(masker, value)),
    maskRow: (row) => timed(() => maskLedgerRow(row, rowMask)),
  };
}

function suffixOf(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, SUFFIX_DIGITS);
}

function maskObject(masker: Masker, value: JsonObject): { readonly value: JsonObject; readonly spans: number } {
  const masked = masker.maskJson(value);
  if (masked === value) return { value, spans: 0 };
  const before = JSON.stringify(value);
  const after = JSON.stringify(masked);
  if (before === after) return { value, spans: 0 };
  return { value: isObject(masked) ? masked : {}, spans: Math.max(1, count(after) - count(before)) };
}

function count(text: string): number {
  return text.split(MASK).length - 1;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
