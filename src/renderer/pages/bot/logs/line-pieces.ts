import { type AnsiStyle, parseAnsi } from '../../../../shared/ansi.ts';

/** A piece of a line: text with one look, or a value that the host has masked. */
export interface Piece {
  /** Offset of the piece in the line without escape sequences. */
  readonly at: number;
  readonly text: string;
  readonly style: AnsiStyle | null;
  readonly masked: boolean;
  /** Part of a search hit. */
  readonly hit: boolean;
}

/** Text that replaces a masked value. */
const MASK = '***';
/** Length up to which a line is shown until it is opened. */
export const SHOWN_CHARS = 1500;

interface Stretch {
  readonly from: number;
  readonly to: number;
}

function places(text: string, wanted: string): Stretch[] {
  const found: Stretch[] = [];
  if (wanted === '') return found;
  const lower = text.toLowerCase();
  // Some letters change their length with their case: places would be off.
  const haystack = lower.length === text.length ? lower : text;
  const needle = wanted.toLowerCase();
  for (let from = haystack.indexOf(needle); from !== -1; from = haystack.indexOf(needle, from + needle.length)) {
    found.push({ from, to: from + needle.length });
  }
  return found;
}

const within = (stretches: readonly Stretch[], at: number): boolean =>
  stretches.some(({ from, to }) => at >= from && at < to);

/** A line as pieces: escape sequences become styles, masked places and search hits stand alone. */
export function piecesOf(line: string, hasMasks: boolean, search: string): Piece[] {
  const spans = parseAnsi(line);
  const text = spans.map((span) => span.text).join('');
  const masks = hasMasks ? places(text, MASK) : [];
  const hits = places(text, search);
  const pieces: Piece[] = [];
  if (masks.length === 0 && hits.length === 0) {
    let at = 0;
    for (const span of spans) {
      pieces.push({ at, text: span.text, style: span.style, masked: false, hit: false });
      at += span.text.length;
    }
    return pieces;
  }
  const cuts = new Set([0, text.length, ...[...masks, ...hits].flatMap(({ from, to }) => [from, to])]);
  let begin = 0;
  for (const span of spans) {
    cuts.add(begin);
    begin += span.text.length;
  }
  const edges = [...cuts].sort((a, b) => a - b);
  let index = 0;
  let spanEnd = spans[0]?.text.length ?? 0;
  for (const [i, at] of edges.entries()) {
    const to = edges[i + 1];
    if (to === undefined) break;
    while (at >= spanEnd && index < spans.length - 1) spanEnd += spans[++index]?.text.length ?? 0;
    const style = spans[index]?.style ?? null;
    const masked = within(masks, at);
    if (masked && !masks.some(({ from }) => from === at)) continue;
    const end = masked ? at + MASK.length : to;
    pieces.push({ at, text: text.slice(at, end), style, masked, hit: within(hits, at) });
  }
  return pieces;
}
