/**
 * A traceback arrives as many lines but is one event: it is stored as one entry of level error, so that a filter, a
 * count and a search find all of it. The lines' content decides, in the order of storage; text that only resembles a
 * traceback is stored whole as well.
 */

/**
 * Position of an output: outside a traceback, inside one of Python, behind its error, in the frames of JavaScript, the
 * JVM, .NET or C++, behind the first line of a panic of Rust, further inside it, or inside a panic of Go.
 */
export type TracePlace = 'outside' | 'traceback' | 'behind' | 'frames' | 'panicked' | 'rust' | 'go';

/** Effect of a line: whether it continues the entry before it, and which lines may follow. */
export interface TraceStep {
  readonly place: TracePlace;
  readonly folds: boolean;
  /**
   * True if the line continues the entry before it when that is an error: a logger writes the traceback behind its own
   * line.
   */
  readonly foldsIntoError?: true;
}

const HEADER = /^\s{0,40}(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):/;
const CHAINED =
  /^(?:During handling of the above exception, another exception occurred|The above exception was the direct cause of the following exception):/;
const FRAME = /^(?:\s{2,40}|\t\s{0,40})at \S/;
/** A first line that frames of JavaScript, or of the JVM, may follow. */
const ERROR_LINE = /(?:Error|Exception|Rejection|Throwable)\b/;
/** First lines of a report that begin nothing else; indented lines follow. */
const UNCAUGHT =
  /^(?:Exception in thread "|Unhandled [Ee]xception[.:] |terminate called (?:after|without|recursively))/;
/** An exception with its full name, as `java.lang.Error: x`. */
const QUALIFIED = /^(?:[a-z][\w$]{0,60}\.){1,12}[A-Z][\w$]{0,100}(?:Exception|Error|Throwable)(?::|$)/;
const RUST = /^thread '[^'\n]{0,200}' (?:\(\d{1,20}\) )?panicked at /;
const GO = /^(?:panic: \S|fatal error: \S)/;

const CAUSED_BY = /^Caused by: /;
const RUST_REST = /^(?:note: |stack backtrace:)/;
/** Lines of Go below a panic: the signal, each goroutine, and its functions with their arguments. */
const GO_REST =
  /^(?:goroutine \d{1,20}[ []|\[signal |created by |exit status \d|runtime stack:|\.\.\.additional frames elided)/;
const GO_CALL = /^[\w./$-]{1,300}\(/;
const LOOKED_AT = 300;
/** Number of characters within which the first dot of a name such as `java.lang.Error` stands. */
const DOT_WITHIN = 16;

/** Size above which an entry takes no more lines; further lines begin another entry. */
export const MOST_FOLDED = 32 * 1024;

/** Step of a line that belongs to no traceback. */
export const OUTSIDE: TraceStep = { place: 'outside', folds: false };

/** First characters of a line that begins or continues a traceback: blanks, T, E, U. */
const STARTS: ReadonlySet<number> = new Set([0x20, 0x09, 0x54, 0x45, 0x55]);

/** True for most lines: they begin with another character, or with a small letter and contain no sign of an error. */
function isOrdinary(line: string): boolean {
  const first = line.charCodeAt(0);
  if (first < 0x61 || first > 0x7a) return !STARTS.has(first);
  // `java.lang.…`, `thread '`, `terminate called`, `panic: `, `fatal error: `.
  const isPhrase = first === 0x74 || first === 0x70 || first === 0x66;
  return !isPhrase && !line.slice(0, DOT_WITHIN).includes('.');
}

/** Returns the step of a line that begins the report of an error; null for another line. */
function begun(line: string): TraceStep | null {
  if (HEADER.test(line)) return { place: 'traceback', folds: false, foldsIntoError: true };
  if (QUALIFIED.test(line)) return { place: 'frames', folds: false, foldsIntoError: true };
  if (UNCAUGHT.test(line)) return { place: 'frames', folds: false };
  if (RUST.test(line)) return { place: line.endsWith(':') ? 'panicked' : 'rust', folds: false };
  return GO.test(line) ? { place: 'go', folds: false } : null;
}

function outside(line: string, before: () => string | null): TraceStep {
  if (isOrdinary(line)) return OUTSIDE;
  if (!FRAME.test(line)) return begun(line) ?? OUTSIDE;
  return ERROR_LINE.test(before()?.slice(0, LOOKED_AT) ?? '') ? { place: 'frames', folds: true } : OUTSIDE;
}

/** True if a line that is not indented belongs to the report of an error before it. */
function goesOn(place: TracePlace, line: string): boolean {
  if (place === 'frames') return line === '}' || CAUSED_BY.test(line);
  if (place === 'rust') return RUST_REST.test(line);
  return place === 'go' && (GO_REST.test(line) || (line.endsWith(')') && GO_CALL.test(line)));
}

/**
 * Returns the step of a line of text; `before` gives the text of the entry before it in the same output, null if there
 * is none. Few lines ask for it.
 */
export function stepTrace(place: TracePlace, line: string, before: () => string | null): TraceStep {
  if (place === 'outside') return outside(line, before);
  const first = line.charCodeAt(0);
  const isIndented = line === '' || first === 0x20 || first === 0x09;
  if (place === 'traceback') return { place: isIndented || HEADER.test(line) ? 'traceback' : 'behind', folds: true };
  if (place === 'behind') {
    if (line === '' || CHAINED.test(line)) return { place: 'behind', folds: true };
    if (HEADER.test(line)) return { place: 'traceback', folds: true };
    return OUTSIDE;
  }
  // The message of a panic is on the line below its place.
  if (place === 'panicked') return { place: 'rust', folds: true };
  return isIndented || goesOn(place, line) ? { place, folds: true } : outside(line, before);
}
