import { damage } from '../../../../node/storage-error.ts';
import { END_OF_TIME, type IdOfRun } from './block-head.ts';
import type { BytesReader } from './bytes-reader.ts';
import { type BytesWriter, unsigned } from './bytes-writer.ts';

/** Puts the values of stored blocks, and values that follow them, into one column. */
export function columnOf(blocks: readonly Float64Array[], values: readonly number[]): Float64Array {
  const stored = blocks.reduce((sum, { length }) => sum + length, 0);
  const column = new Float64Array(stored + values.length);
  let at = 0;
  for (const block of blocks) {
    column.set(block, at);
    at += block.length;
  }
  column.set(values, at);
  return column;
}

/** Returns the ids of the runs [from, to), of which most are the same as the one before. */
export function idsOf(runs: readonly (string | null)[], from: number, to: number, idOf: IdOfRun): number[] {
  const ids: number[] = [];
  for (let at = from; at < to; at++) {
    const run = runs[at] ?? null;
    ids.push(at > from && run === runs[at - 1] ? (ids[at - from - 1] as number) : idOf(run));
  }
  return ids;
}

let room = new Float64Array(4096);

/** Room for the steps of one column, until the next one. */
function roomFor(count: number): Float64Array {
  if (room.length < count) room = new Float64Array(count);
  return room.subarray(0, count);
}

/** Writes numbers of which none is below the one before it, such as seqs, by their distances. */
export function writeRising(out: BytesWriter, values: Float64Array): void {
  const steps = roomFor(values.length);
  for (let at = 0; at < values.length; at++) {
    steps[at] = (values[at] as number) - (at === 0 ? 0 : (values[at - 1] as number));
  }
  out.numbers(steps);
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
  const steps = roomFor(values.length);
  for (let at = 0; at < values.length; at++) {
    steps[at] = unsigned((values[at] as number) - (at === 0 ? 0 : (values[at - 1] as number)));
  }
  out.numbers(steps);
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
  out.numbers(values);
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
  const scales = new Uint8Array(values.length);
  let before = 0;
  for (let at = 0; at < values.length; at++) {
    before = scaleOf(values[at] as number, before);
    scales[at] = before;
  }
  out.bytes(scales);
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    const scale = SCALES[scales[at] as number];
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

/** Returns the place of the least scale of a value; most values have that of the one before them. */
function scaleOf(value: number, likely: number): number {
  if (Object.is(value, -0)) return WHOLE;
  const probable = SCALES[likely];
  if (probable !== undefined) {
    const digits = Math.round(value * probable);
    // With a last digit that is not 0 no smaller scale will do.
    if (Math.abs(digits) <= MOST_DIGITS && digits % 10 !== 0 && digits / probable === value) return likely;
  }
  for (let at = 0; at < WHOLE; at++) {
    const scale = SCALES[at] ?? 1;
    const digits = Math.round(value * scale);
    if (Math.abs(digits) > MOST_DIGITS) return WHOLE;
    if (digits / scale === value) return at;
  }
  return WHOLE;
}
