import { damage } from '../../../../node/storage-error.ts';
import { END_OF_TIME } from './block-head.ts';
import type { BytesReader } from './bytes-reader.ts';
import type { BytesWriter } from './bytes-writer.ts';

/** Puts the values of stored blocks and of `count` rows that follow them into one column. */
export function columnOf(
  blocks: readonly Float64Array[],
  count: number,
  valueAt: (at: number) => number | undefined,
): Float64Array {
  const stored = blocks.reduce((sum, { length }) => sum + length, 0);
  const column = new Float64Array(stored + count);
  let at = 0;
  for (const block of blocks) {
    column.set(block, at);
    at += block.length;
  }
  for (let row = 0; row < count; row++) column[at++] = valueAt(row) ?? 0;
  return column;
}

/** Writes numbers of which none is below the one before it, such as seqs, by their distances. */
export function writeRising(out: BytesWriter, values: Float64Array): void {
  let before = 0;
  for (const value of values) {
    out.number(value - before);
    before = value;
  }
}

export function readRising(reader: BytesReader, count: number): Float64Array {
  const values = new Float64Array(count);
  let value = 0;
  for (let at = 0; at < count; at++) {
    value += reader.number();
    values[at] = value;
  }
  return values;
}

/** Writes numbers that jump both ways and are often equal, such as ids, by their distances. */
export function writeIds(out: BytesWriter, values: Float64Array): void {
  let before = 0;
  for (const value of values) {
    out.signed(value - before);
    before = value;
  }
}

export function readIds(reader: BytesReader, count: number): Float64Array {
  const values = new Float64Array(count);
  let value = 0;
  for (let at = 0; at < count; at++) {
    value += reader.signed();
    values[at] = value;
  }
  return values;
}

export function writeNumbers(out: BytesWriter, values: Float64Array): void {
  for (const value of values) out.number(value);
}

export function readNumbers(reader: BytesReader, count: number): Float64Array {
  const values = new Float64Array(count);
  for (let at = 0; at < count; at++) values[at] = reader.number();
  return values;
}

/** Stands for a time that a bot has not named. */
const NO_TIME = Number.NaN;

/** Returns the time of a row by its bot, which most rows lack, as a column holds it. */
export function toOwnTime(time: number | null): number {
  return time ?? NO_TIME;
}

/** Returns the time that a column holds. */
export function fromOwnTime(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** Writes times by bots: 0 for none, 1 before a time since the epoch, 2 before one ahead of it. */
export function writeOwnTimes(out: BytesWriter, times: Float64Array): void {
  for (const time of times) {
    if (Number.isNaN(time)) out.number(0);
    else {
      out.number(time < 0 ? 2 : 1);
      out.number(Math.abs(time));
    }
  }
}

export function readOwnTimes(reader: BytesReader, count: number): Float64Array {
  const times = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const kind = reader.number();
    times[at] = kind === 0 ? NO_TIME : kind === 1 ? reader.number() : -reader.number();
    if (Math.abs(times[at] ?? 0) > END_OF_TIME) throw damage('a time in a block is out of range');
  }
  return times;
}

const SCALES = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8] as const;
/** A value that is no short decimal is stored as its eight bytes. */
const WHOLE = SCALES.length;
const MOST_DIGITS = 1e15;

/**
 * Writes values digit by digit: prices and amounts are short decimals, which are whole numbers with a scale. What is
 * read is the same number, bit by bit.
 */
export function writeValues(out: BytesWriter, values: Float64Array): void {
  const scales = Uint8Array.from(values, scaleOf);
  out.bytes(scales);
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0;
    const scale = SCALES[scales[at] ?? WHOLE];
    if (scale === undefined) out.double(value);
    else out.signed(Math.round(value * scale));
  }
}

export function readValues(reader: BytesReader, count: number): Float64Array {
  const scales = reader.bytes(count);
  const values = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const scale = SCALES[scales[at] ?? WHOLE];
    values[at] = scale === undefined ? reader.double() : reader.signed() / scale;
  }
  return values;
}

function scaleOf(value: number): number {
  if (Object.is(value, -0)) return WHOLE;
  for (let at = 0; at < WHOLE; at++) {
    const scale = SCALES[at] ?? 1;
    const digits = Math.round(value * scale);
    if (Math.abs(digits) > MOST_DIGITS) return WHOLE;
    if (digits / scale === value) return at;
  }
  return WHOLE;
}
