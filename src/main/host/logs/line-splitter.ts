const RETURN = 13;

/** States of a line longer than one entry. `HIDDEN`: a secret could not be cut cleanly, so the rest is masked. */
export const OUTSIDE = 0;
export const INSIDE = 1;
export const HIDDEN = 2;

/** Bytes read, with the line ends that the keyword automaton found in them. `bytes[length]` is spare room. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly length: number;
  /** Positions of the newlines, `count` of them. */
  readonly ends: Uint32Array;
  /** Not 0 if the line may contain a secret. */
  readonly flags: Uint8Array;
  readonly count: number;
}

/** A part of a line that fits into one entry. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  /** Position at which the next piece begins. */
  readonly next: number;
  readonly flagged: boolean;
  /** True if the line continues in the next piece. */
  readonly continued: boolean;
  /** State before this piece: not OUTSIDE when the piece continues a line. */
  readonly inside: number;
}

export interface SplitRules {
  /** Limit of an entry in bytes. */
  readonly maxBytes: number;
  /** Bytes that must be present beyond a cut, so that no secret lies across it unseen. */
  readonly overlap: number;
  /** True at the end of the file: the last bytes are a line even without a newline. */
  readonly atEnd: boolean;
  /** True if bytes without a newline may contain a secret. */
  flag(start: number, end: number): boolean;
  /** True when masking both sides of the cut separately gives the same as masking all: no secret crosses it. */
  separable(start: number, cut: number, end: number): boolean;
}

/** Steps back from the longest possible piece to a cut that no secret crosses. */
const CUT_STEPS = [0, 128, 512, 2048, 8192, 32_768];

/**
 * Cuts a chunk into entries. Whole lines first; a line longer than `maxBytes` becomes several pieces cut between
 * characters. `emit` is called for each piece in order; the caller offers the rest again with more bytes. Returns the
 * state after the last piece.
 */
export function splitLines(chunk: Chunk, state: number, rules: SplitRules, emit: (piece: Piece) => void): number {
  let inside = state;
  let start = 0;
  const cutLine = (end: number, windowEnd: number, flagged: boolean, minimum: number): void => {
    while (end - start > minimum) {
      const cut = findCut(chunk.bytes, start, windowEnd, flagged, rules);
      const hidden = inside === HIDDEN || cut === null;
      const at = cut ?? charBoundary(chunk.bytes, start, start + rules.maxBytes);
      emit({ start, end: at, next: at, flagged, continued: true, inside: hidden ? HIDDEN : inside });
      inside = hidden ? HIDDEN : INSIDE;
      start = at;
    }
  };
  for (let i = 0; i < chunk.count; i++) {
    const newline = chunk.ends[i] ?? 0;
    const end = newline > start && chunk.bytes[newline - 1] === RETURN ? newline - 1 : newline;
    const flagged = chunk.flags[i] !== 0;
    if (end - start > rules.maxBytes) cutLine(end, end, flagged, rules.maxBytes);
    emit({ start, end, next: newline + 1, flagged, continued: false, inside });
    inside = OUTSIDE;
    start = newline + 1;
  }
  const rest = chunk.length - start;
  if (rest === 0) return inside;
  if (rules.atEnd) {
    const flagged = rules.flag(start, chunk.length);
    cutLine(chunk.length, chunk.length, flagged, rules.maxBytes);
    emit({ start, end: chunk.length, next: chunk.length, flagged, continued: false, inside });
    return OUTSIDE;
  }
  const enough = rules.maxBytes + rules.overlap;
  if (rest > enough) cutLine(chunk.length, chunk.length, rules.flag(start, chunk.length), enough);
  return inside;
}

function findCut(bytes: Buffer, start: number, end: number, flagged: boolean, rules: SplitRules): number | null {
  const furthest = start + rules.maxBytes;
  if (!flagged) return charBoundary(bytes, start, furthest);
  const window = Math.min(end, furthest + rules.overlap);
  for (const step of CUT_STEPS) {
    if (step >= rules.maxBytes) break;
    const cut = charBoundary(bytes, start, furthest - step);
    if (rules.separable(start, cut, window)) return cut;
  }
  return null;
}

/** Returns the position or one up to three bytes before it, so that no UTF-8 character is cut in two. */
function charBoundary(bytes: Buffer, start: number, position: number): number {
  for (let at = position; at > start && at > position - 4; at--) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at;
  }
  return position;
}
