import type { StoredLog } from '../stored-row-types.ts';
import { BytesWriter } from './bytes-writer.ts';
import { fromOwnTime, toOwnTime } from './columns.ts';
import { joinedLines } from './joined-lines.ts';

/** Memory for text that the lines of one bot after another use, so that a quiet bot has none. */
const spare: BytesWriter[] = [];
const NOTHING = Buffer.alloc(0);
const MOST_SPARE = 4;
const MOST_SPARE_BYTES = 4 * 1024 * 1024;

/** Where a line stands in the buffer of its file: its text [start, end), and the start of the next line. */
export interface LinePlace {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/**
 * Lines on their way into blocks, column by column. Text that needs no change is copied
 * from the buffer of its file, many lines at a time; call `settle` before the buffer is used again.
 */
export class NewLines {
  readonly seqs: number[] = [];
  readonly ts: number[] = [];
  readonly metas: number[] = [];
  readonly runs: (string | null)[] = [];
  /** Times by the bot (fromOwnTime). */
  readonly times: number[] = [];
  readonly fields: (string | null)[] = [];
  /** Where the text of each line ends, with the newline behind it; settled lines only. */
  readonly #ends: number[] = [];
  #text: BytesWriter | null = null;
  /** The last lines, unless their text is in `#text`: as strings, or as a part of a buffer. At most one of the two is in use. */
  readonly #strings: string[] = [];
  #buffer: Buffer | null = null;
  #from = 0;
  #to = 0;
  #bytes = 0;

  get count(): number {
    return this.seqs.length;
  }

  /** Bytes of text and fields, at least. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of the text and the fields of a line, at least. */
  bytesOf(at: number): number {
    this.settle();
    return this.#end(at) - this.#start(at) + (this.fields[at]?.length ?? 0);
  }

  add({ seq, ts, meta, run, line, time, fields }: StoredLog): void {
    if (this.#buffer !== null) this.settle();
    this.#push(seq, ts, meta, run, toOwnTime(time), fields);
    this.#strings.push(line);
    this.#bytes += line.length + (fields?.length ?? 0);
  }

  /** Adds a line whose text is valid UTF-8. */
  addPlain(seq: number, ts: number, meta: number, run: string | null, bytes: Buffer, place: LinePlace): void {
    const { start, end, next } = place;
    if (this.#strings.length > 0) this.settle();
    this.#push(seq, ts, meta, run, toOwnTime(null), null);
    this.#bytes += end - start;
    if (next !== end + 1) {
      // Something else than one newline stands behind it.
      this.settle();
      const text = this.#writer();
      text.bytes(bytes.subarray(start, end));
      text.text('\n');
      this.#ends.push(text.size);
      return;
    }
    if (this.#buffer !== bytes || this.#to !== start) {
      this.settle();
      this.#buffer = bytes;
      this.#from = start;
    }
    this.#to = next;
    this.#ends.push((this.#text?.size ?? 0) + next - this.#from);
  }

  /** Text of the newest line; null without one. */
  lastText(): string | null {
    const line = this.count === 0 ? null : this.row(this.count - 1);
    return line?.line ?? null;
  }

  /** Bytes of the text of the newest line. */
  lastBytes(): number {
    this.settle();
    return this.count === 0 ? 0 : this.#end(this.count - 1) - this.#start(this.count - 1) - 1;
  }

  /** Adds a line to the text of the newest one, whose `meta` becomes this one. */
  extendLast(line: string, meta: number): void {
    this.settle();
    const text = this.#writer();
    text.text(`${line}\n`);
    this.#bytes += line.length;
    this.#ends[this.count - 1] = text.size;
    this.metas[this.count - 1] = meta;
  }

  row(at: number): StoredLog {
    this.settle();
    return {
      seq: this.seqs[at] ?? 0,
      ts: this.ts[at] ?? 0,
      meta: this.metas[at] ?? 0,
      run: this.runs[at] ?? null,
      line: this.#view().toString('utf8', this.#start(at), this.#end(at) - 1),
      time: fromOwnTime(this.times[at]),
      fields: this.fields[at] ?? null,
    };
  }

  /** The text of the lines [from, to), each with a newline behind it; valid until the next line. */
  textOf(from: number, to: number): Buffer {
    this.settle();
    return this.#view().subarray(this.#start(from), this.#start(to));
  }

  /** Bytes of the text of each line of [from, to). */
  lengths(from: number, to: number): number[] {
    this.settle();
    const lengths: number[] = [];
    for (let at = from; at < to; at++) lengths.push(this.#end(at) - this.#start(at) - 1);
    return lengths;
  }

  /** Takes all text into memory of its own. */
  settle(): void {
    if (this.#buffer !== null) {
      this.#writer().bytes(this.#buffer.subarray(this.#from, this.#to));
      this.#buffer = null;
    } else if (this.#strings.length > 0) {
      const { text, lengths } = joinedLines(this.#strings);
      this.#strings.length = 0;
      let end = this.#ends.at(-1) ?? 0;
      this.#writer().text(text);
      for (const length of lengths) {
        end += length + 1;
        this.#ends.push(end);
      }
    }
  }

  clear(): void {
    for (const column of [this.seqs, this.ts, this.metas, this.runs, this.times, this.fields, this.#ends]) {
      column.length = 0;
    }
    this.#strings.length = 0;
    this.#buffer = null;
    this.#bytes = 0;
    const text = this.#text;
    this.#text = null;
    if (text === null || text.capacity > MOST_SPARE_BYTES || spare.length >= MOST_SPARE) return;
    text.clear();
    spare.push(text);
  }

  #push(seq: number, ts: number, meta: number, run: string | null, time: number, fields: string | null): void {
    this.seqs.push(seq);
    this.ts.push(ts);
    this.metas.push(meta);
    this.runs.push(run);
    this.times.push(time);
    this.fields.push(fields);
  }

  #view(): Buffer {
    return this.#text?.view() ?? NOTHING;
  }

  #writer(): BytesWriter {
    this.#text ??= spare.pop() ?? new BytesWriter();
    return this.#text;
  }

  #start(at: number): number {
    return at === 0 ? 0 : (this.#ends[at - 1] ?? 0);
  }

  #end(at: number): number {
    return this.#ends[at] ?? 0;
  }
}
