import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { LIMITS } from '../../../contract/limits.ts';
import { openUntrustedSync } from '../../../node/open-untrusted.ts';
import { ChunkDecoder } from './chunk-decoder.ts';
import { INFO } from './classify-json-line.ts';
import type { BotMasker, LineStream } from './create-bot-masker.ts';
import { type Chunk, HIDDEN, INSIDE, OUTSIDE, type Piece, splitLines } from './line-splitter.ts';
import type { SpoolRow } from './log-database-write.ts';
import type { SpoolFile } from './telemetry-types.ts';

/** Most bytes of one file per turn, so that one bot's flood leaves the others their turn. */
const READ_BYTES = 256 * 1024;
/** Bytes before a restored offset that the masker reads again: a private key block may have begun there. */
const WARM_UP_BYTES = 64 * 1024;
/** Step in which consumed space is given back; the part that a warm-up may read again stays. */
const PUNCH_STEP = 64 * 1024 * 1024;
const PUNCH_KEEP = 1024 * 1024;
const PAGE = 4096;
const BLOCK_BYTES = 512;
const NEWLINE = 10;
/** Impossible sizes: the file was not read since its offset was restored; it was not read to its end. */
const UNSEEN = -1;
const MORE = -2;

/** One set of buffers for all files of the worker. */
export class ReadBuffers {
  readonly bytes = Buffer.allocUnsafeSlow(READ_BYTES + 1);
  readonly ends = new Uint32Array(READ_BYTES + 1);
  readonly flags = new Uint8Array(READ_BYTES + 1);
  readonly oneEnd = new Uint32Array(1);
  readonly oneFlag = new Uint8Array(1);
}

/** A chunk with its text. */
export interface DecodedChunk extends Chunk {
  readonly text: ChunkDecoder;
  /** True if all of its whole lines are UTF-8 without a NUL: their bytes are what is to be stored. */
  readonly isText: boolean;
}

export interface TailReader {
  /** Takes one entry's bytes; the tail's offset is already behind it. */
  piece(tail: SpoolTail, chunk: DecodedChunk, piece: Piece): void;
  report(message: string): void;
}

/** Outcome of a turn. `more`: the file has further bytes now. */
export type Turn = 'idle' | 'read' | 'more';

/**
 * Follows one spool file. The offset always points to the first byte that is not stored as an entry: a half-written
 * line is read again when the file grew, so there is no second copy of the truth to lose.
 */
export class SpoolTail {
  readonly file: SpoolFile;
  offset = 0;
  inside = OUTSIDE;
  /** Level of the line that continues. */
  level = INFO;
  /** The offset moved since it was last stored. */
  dirty = false;
  /** No more bytes will be written: at the end of the file the last line counts without a newline. */
  finishing = false;
  /** Everything was read after `finishing`. */
  drained = false;
  stream: LineStream;
  #fd: number | null = null;
  #seenSize = UNSEEN;
  #zerosTold = false;
  #strange: 'no' | 'found' | 'told' = 'no';
  /** Space was given back up to here; the second value is how far that was tried. */
  #punched = 0;
  #punchTried = 0;

  constructor(file: SpoolFile, masker: BotMasker) {
    this.file = file;
    this.stream = masker.newStream();
  }

  /**
   * Moves to the end of the stored rows. Without a stored offset, or with one from before lost rows, it starts at the
   * first existing byte from there.
   */
  restore(row: SpoolRow | null, masker: BotMasker, buffers: ReadBuffers, isEnd = true): void {
    this.offset = row?.offset ?? 0;
    this.inside = row?.inside ?? OUTSIDE;
    this.level = row?.level ?? INFO;
    this.dirty = false;
    this.drained = false;
    this.#seenSize = UNSEEN;
    this.stream = masker.newStream();
    const fd = this.#open();
    if (fd === null) return;
    if (row === null || !isEnd) this.#skipHole(fd, buffers);
    if (row !== null) this.#warmUp(fd, buffers);
  }

  /** Changes the secrets to mask from here on. */
  useMasker(masker: BotMasker, buffers: ReadBuffers): void {
    this.stream = masker.newStream();
    const fd = this.#open();
    if (fd !== null) this.#warmUp(fd, buffers);
  }

  /** The open file; null before its first turn, and after it is closed. */
  get fd(): number | null {
    return this.#fd;
  }

  row(): SpoolRow {
    return { path: this.file.path, run: this.file.runId, offset: this.offset, inside: this.inside, level: this.level };
  }

  /** Reads the new part, at most READ_BYTES, and hands out whole entries. */
  turn(masker: BotMasker, buffers: ReadBuffers, reader: TailReader): Turn {
    const fd = this.#open();
    if (fd === null) {
      // The engine creates the file before the program starts; a missing file has no output yet.
      if (this.finishing) this.drained = true;
      return 'idle';
    }
    const { size, blocks } = fstatSync(fd);
    if (size < this.offset) {
      // After a power cut the shorter file holds only stored lines; a file that shrinks while it is followed was
      // emptied by another program.
      const isFollowed = this.#seenSize !== UNSEEN;
      const how = isFollowed ? 'reading it again from its start' : 'reading on from its end';
      reader.report(`${this.file.path} is shorter than what was read of it; ${how}.`);
      this.offset = isFollowed ? 0 : size;
      this.inside = OUTSIDE;
      this.dirty = true;
    }
    if (size === this.#seenSize && !this.finishing) return 'idle';
    const length = readSync(fd, buffers.bytes, 0, READ_BYTES, this.offset);
    this.#seenSize = length < READ_BYTES ? size : MORE;
    const before = this.offset;
    if (length === READ_BYTES && isZero(buffers.bytes, length)) {
      this.#skipZeros(before + length, size - blocks * BLOCK_BYTES, reader);
      return 'more';
    }
    const atEnd = this.finishing && before + length >= size;
    if (length > 0) this.#split(length, atEnd, masker, buffers, reader);
    if (atEnd) this.drained = true;
    if (length === READ_BYTES || (this.finishing && !this.drained)) return 'more';
    return this.offset > before ? 'read' : 'idle';
  }

  /** True once if the path holds something other than a readable file, so that there is nothing to read. */
  takeStrange(): boolean {
    if (this.#strange !== 'found') return false;
    this.#strange = 'told';
    return true;
  }

  /** Bytes that were not read yet. */
  unread(): number {
    const fd = this.#open();
    return fd === null ? 0 : Math.max(0, fstatSync(fd).size - this.offset);
  }

  /**
   * The next range to give back to the file system, or null; `[from, to]` in bytes. Call after a commit, and `punched`
   * when it was given back; otherwise it is part of the next range.
   */
  takePunchRange(): readonly [number, number] | null {
    const to = Math.floor((this.offset - PUNCH_KEEP) / PAGE) * PAGE;
    if (to - this.#punchTried < PUNCH_STEP) return null;
    this.#punchTried = to;
    return [this.#punched, to];
  }

  /** Records that the space up to here was given back. */
  punched(to: number): void {
    this.#punched = Math.max(this.#punched, to);
  }

  /** True once its bot let go of it. */
  closed = false;

  close(): void {
    this.closed = true;
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #open(): number | null {
    if (this.#fd !== null) return this.#fd;
    const fd = openUntrustedSync(this.file.path);
    if (fd === 'strange' && this.#strange === 'no') this.#strange = 'found';
    this.#fd = typeof fd === 'number' ? fd : null;
    return this.#fd;
  }

  #split(length: number, atEnd: boolean, masker: BotMasker, buffers: ReadBuffers, reader: TailReader): void {
    const { bytes, ends, flags } = buffers;
    const base = this.offset;
    const count = masker.scan(bytes, 0, length, ends, flags);
    const lines = bytes.subarray(0, count === 0 ? 0 : ends[count - 1]);
    const isText = isUtf8(lines) && !lines.includes(0);
    const text = new ChunkDecoder(bytes, length);
    const chunk: DecodedChunk = { bytes, length, ends, flags, count, text, isText };
    const rules = {
      maxBytes: LIMITS.lineBytes,
      overlap: masker.overlap,
      atEnd,
      flag: (start: number, end: number) => flagBytes(masker, buffers, start, end),
      separable: (start: number, cut: number, end: number) => separable(masker, bytes, start, cut, end),
    };
    splitLines(chunk, this.inside, rules, (piece) => {
      this.offset = base + piece.next;
      this.inside = piece.continued ? (piece.inside === HIDDEN ? HIDDEN : INSIDE) : OUTSIDE;
      this.dirty = true;
      reader.piece(this, chunk, piece);
    });
  }

  #warmUp(fd: number, buffers: ReadBuffers): void {
    const from = Math.max(0, this.offset - WARM_UP_BYTES);
    if (from === this.offset) return;
    const length = readSync(fd, buffers.bytes, 0, this.offset - from, from);
    const text = buffers.bytes.toString('utf8', 0, length);
    const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
    for (const line of lines) this.stream.mask(line);
  }

  /**
   * A bot may extend its output by petabytes of holes. It appends at the end: all real data of the file fits behind
   * `dataFrom`.
   */
  #skipZeros(readTo: number, dataFrom: number, reader: TailReader): void {
    if (!this.#zerosTold) reader.report(`${this.file.path} has a long row of zero bytes at ${this.offset}; skipped.`);
    this.#zerosTold = true;
    this.offset = Math.max(readTo, dataFrom);
    this.inside = OUTSIDE;
    this.dirty = true;
  }

  /** The start of a file whose rows were lost may have been given back: its first whole line is its beginning now. */
  #skipHole(fd: number, buffers: ReadBuffers): void {
    const { size, blocks } = fstatSync(fd);
    if (blocks * BLOCK_BYTES >= size) return;
    const begin = this.offset;
    let at = begin;
    for (;;) {
      const length = readSync(fd, buffers.bytes, 0, READ_BYTES, at);
      if (length === 0) return;
      if (!isZero(buffers.bytes, length)) break;
      at += length;
    }
    if (at === begin && buffers.bytes[0] !== 0) return;
    const first = at + buffers.bytes.findIndex((byte) => byte !== 0);
    const length = readSync(fd, buffers.bytes, 0, READ_BYTES, first);
    this.offset = first + buffers.bytes.subarray(0, length).indexOf(NEWLINE) + 1;
    this.inside = OUTSIDE;
    this.level = INFO;
    this.dirty = true;
  }
}

const ZEROS = Buffer.alloc(READ_BYTES);

function isZero(bytes: Buffer, length: number): boolean {
  return bytes[0] === 0 && bytes.compare(ZEROS, 0, length, 0, length) === 0;
}

function flagBytes(masker: BotMasker, buffers: ReadBuffers, start: number, end: number): boolean {
  const { bytes, oneEnd, oneFlag } = buffers;
  const kept = bytes[end] ?? 0;
  bytes[end] = NEWLINE;
  masker.scan(bytes, start, end + 1, oneEnd, oneFlag);
  bytes[end] = kept;
  return oneFlag[0] !== 0;
}

/** A fresh stream for each part: a trial must not change the memory of the real one. */
function separable(masker: BotMasker, bytes: Buffer, start: number, cut: number, end: number): boolean {
  const mask = (from: number, to: number): string => masker.newStream().mask(bytes.toString('utf8', from, to)).text;
  return mask(start, cut) + mask(cut, end) === mask(start, end);
}
