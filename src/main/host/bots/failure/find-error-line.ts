import type { Clue, Ending } from './failure-types.ts';
import type { Found } from './rule.ts';

/** Words of a line that says what went wrong. */
const BAD =
  /(?:^|[^A-Za-z])(?:error|err|fatal|critical|panic|exception|abort(?:ed|ing)?|fail(?:s|ed|ure|ing)?|cannot|can't|could not|couldn't|unable|missing|invalid|denied|refused|required|not found|not set|no such)(?![A-Za-z])|[a-z](?:Error|Exception)\b/i;
/** Counts and denials that hold such a word. */
const GOOD = /\b(?:no|0|without(?: any)?|zero) (?:error|failure|exception)s?\b/i;
/** A line that says itself that it is of no importance. */
const QUIET = /^[\W_]{0,3}(?:trace|debug|info|notice)\b/i;

const found = ({ text, line }: Clue): Found => ({ text, groups: [], line });

/**
 * The newest line that reports an error: on stderr (of a query program: anywhere), or logged as an error. `clues` has
 * the newest first, without errors that the bot recovered from.
 */
export function lastError({ run, clues }: Ending): Found | null {
  const clue = clues.find(({ text, line }) => {
    const of = line === null ? undefined : run.lines[line];
    if (of === undefined || of.level === 'warn') return false;
    return of.level === 'error' || (of.source !== 'stdout' && !QUIET.test(text) && BAD.test(text) && !GOOD.test(text));
  });
  return clue === undefined ? null : found(clue);
}

/** The last line on stderr, whatever it says: `sys.exit("no symbols")` leaves no other sign. */
export function lastOnStderr({ run, clues }: Ending): Found | null {
  const clue = clues.find(({ line }) => line !== null && run.lines[line]?.source === 'stderr');
  return clue === undefined || QUIET.test(clue.text) ? null : found(clue);
}
