/**
 * A traceback arrives as many lines but is one event: it is stored as one entry of level error, so that a filter, a
 * count and a search find all of it. The lines' content decides, in the order of storage; text that only looks like a
 * traceback is stored whole all the same.
 */

/** Position of an output: outside a traceback, inside one, behind its error, in frames of JavaScript. */
export type TracePlace = 'outside' | 'traceback' | 'behind' | 'frames';

/** The role of a line: whether it continues the entry before it, and what may follow. */
export interface TraceStep {
  readonly place: TracePlace;
  readonly folds: boolean;
}

const HEADER = /^\s{0,40}(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):/;
const CHAINED =
  /^(?:During handling of the above exception, another exception occurred|The above exception was the direct cause of the following exception):/;
const FRAME = /^\s{2,40}at \S/;
/** A first line that frames of JavaScript, or of the JVM, may follow. */
const ERROR_LINE = /(?:Error|Exception|Rejection|Throwable)\b/;
const LOOKED_AT = 300;

/** An entry longer than this takes no more lines; the next ones begin another. */
export const MOST_FOLDED = 32 * 1024;

const OUTSIDE: TraceStep = { place: 'outside', folds: false };

/** True for most lines: outside a traceback only these first characters can begin or go on with one. */
function isOrdinary(first: number): boolean {
  return first !== 0x20 && first !== 0x09 && first !== 0x54 && first !== 0x45;
}

/** Decides about a line of text; `before` is the text of the entry before it of the same output, null without one. */
export function stepTrace(place: TracePlace, line: string, before: () => string | null): TraceStep {
  const first = line.charCodeAt(0);
  if (place === 'outside') {
    if (isOrdinary(first)) return OUTSIDE;
    if (FRAME.test(line)) {
      const head = before();
      return head !== null && ERROR_LINE.test(head.slice(0, LOOKED_AT)) ? { place: 'frames', folds: true } : OUTSIDE;
    }
    return HEADER.test(line) ? { place: 'traceback', folds: false } : OUTSIDE;
  }
  const isIndented = line === '' || first === 0x20 || first === 0x09;
  if (place === 'traceback') return { place: isIndented || HEADER.test(line) ? 'traceback' : 'behind', folds: true };
  if (place === 'behind') {
    if (line === '' || CHAINED.test(line)) return { place: 'behind', folds: true };
    if (HEADER.test(line)) return { place: 'traceback', folds: true };
    return OUTSIDE;
  }
  return isIndented || line === '}' ? { place: 'frames', folds: true } : stepTrace('outside', line, before);
}
