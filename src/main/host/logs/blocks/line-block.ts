import { damage } from '../../../../node/storage-error.ts';
import type { StoredLog } from '../stored-row-types.ts';
import type { BuiltBlock, IdOfRun } from './block-head.ts';
import { BytesReader } from './bytes-reader.ts';
import {
  fromOwnTime,
  idsOf,
  readIds,
  readNumbers,
  readOwnTimes,
  readRising,
  writeIds,
  writeNumbers,
  writeOwnTimes,
  writeRising,
} from './columns.ts';
import { joinedLines } from './joined-lines.ts';
import { NewLines } from './new-lines.ts';
import { RowCollector } from './row-collector.ts';

/** A line in a block, with the id that its run has in the segment, 0 for none. */
export type BlockLine = Omit<StoredLog, 'run'> & { readonly run: number };

const NONE = new NewLines();

/** Columns of a line in memory. */
const COLUMNS = 9;
/** Least bytes of a line: one in each of seven columns, and the newline behind its text. */
const LEAST_BYTES = 8;

/**
 * Lines on their way into a block, which stores them column by column, because zstd finds more in equal things beside each
 * other. The text follows the columns, each line with a newline behind it; the fields of the lines that have some follow in
 * the same way.
 */
export class LineBlockBuilder extends RowCollector<NewLines, LineBlock> {
  override build(idOf: IdOfRun): BuiltBlock {
    const { out, blocks, from, to } = this;
    const lines = this.rows ?? NONE;
    const fieldTexts = lines.fields.slice(from, to);
    const fields = joinedLines(fieldTexts.filter((text) => text !== null));
    let nextField = 0;
    const seqs = this.column(({ seqs }) => seqs, lines.seqs.slice(from, to));
    const ts = this.column(({ ts }) => ts, lines.ts.slice(from, to));
    const metas = this.column(({ metas }) => metas, lines.metas.slice(from, to));
    const runs = this.column(({ runs }) => runs, idsOf(lines.runs, from, to, idOf));
    const times = this.column(({ times }) => times, lines.times.slice(from, to));
    const lengths = this.column(({ lengths }) => lengths, lines.lengths(from, to));
    const fieldLengths = this.column(
      ({ fieldLengths }) => fieldLengths,
      fieldTexts.map((text) => (text === null ? 0 : (fields.lengths[nextField++] ?? 0) + 1)),
    );
    out.clear();
    out.number(this.count);
    writeRising(out, seqs);
    writeRising(out, ts);
    writeNumbers(out, metas);
    writeIds(out, runs);
    writeOwnTimes(out, times);
    writeNumbers(out, lengths);
    writeNumbers(out, fieldLengths);
    const textStart = out.size;
    for (const block of blocks) out.bytes(block.text);
    out.bytes(lines.textOf(from, to));
    for (const block of blocks) out.bytes(block.fieldText);
    out.text(fields.text);
    let kinds = 0;
    for (const meta of metas) kinds |= 1 << (meta & 15);
    const plain = out.view();
    const facts = { seqs, ts, runs, kinds, types: null, series: null, times: null };
    return { plain, text: plain.subarray(textStart), facts };
  }

  protected override bytesOfBlock({ text, fieldText }: LineBlock): number {
    return text.length + fieldText.length;
  }
}

/** The lines of a stored block. */
export class LineBlock {
  readonly count: number;
  readonly seqs: Float64Array;
  readonly ts: Float64Array;
  readonly metas: Float64Array;
  readonly runs: Float64Array;
  /** Times by the bot (fromOwnTime). */
  readonly times: Float64Array;
  /** Bytes of the text of each line. */
  readonly lengths: Float64Array;
  /** Bytes of the fields of each line and 1, 0 for a line without. */
  readonly fieldLengths: Float64Array;
  /** The text of all lines, each with a newline behind it. */
  readonly text: Buffer;
  readonly fieldText: Buffer;
  /** Where the text of each line begins, and its fields. */
  readonly starts: Float64Array;
  readonly fieldStarts: Float64Array;

  /** Bytes that it takes in memory. */
  readonly memory: number;

  /** @throws damage when the bytes are no block of lines */
  constructor(plain: Buffer) {
    const reader = new BytesReader(plain);
    const count = reader.count(LEAST_BYTES);
    this.count = count;
    this.seqs = readRising(reader, count);
    this.ts = readRising(reader, count);
    this.metas = readNumbers(reader, count);
    this.runs = readIds(reader, count);
    this.times = readOwnTimes(reader, count);
    this.lengths = readNumbers(reader, count);
    this.fieldLengths = readNumbers(reader, count);
    this.starts = new Float64Array(count);
    this.fieldStarts = new Float64Array(count);
    let size = 0;
    let fieldSize = 0;
    for (let at = 0; at < count; at++) {
      this.starts[at] = size;
      this.fieldStarts[at] = fieldSize;
      size += (this.lengths[at] ?? 0) + 1;
      fieldSize += this.fieldLengths[at] ?? 0;
    }
    this.text = reader.bytes(size);
    this.fieldText = reader.bytes(fieldSize);
    if (reader.left !== 0) throw damage('a block holds more than its rows');
    this.memory = plain.length + count * COLUMNS * 8;
  }

  line(at: number): BlockLine {
    const start = this.starts[at] ?? 0;
    const fields = this.fieldLengths[at] ?? 0;
    const fieldStart = this.fieldStarts[at] ?? 0;
    return {
      seq: this.seqs[at] ?? 0,
      ts: this.ts[at] ?? 0,
      meta: this.metas[at] ?? 0,
      run: this.runs[at] ?? 0,
      line: this.text.toString('utf8', start, start + (this.lengths[at] ?? 0)),
      time: fromOwnTime(this.times[at]),
      fields: fields === 0 ? null : this.fieldText.toString('utf8', fieldStart, fieldStart + fields - 1),
    };
  }
}
