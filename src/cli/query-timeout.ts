import { LIMITS } from '../contract/limits.ts';
import type { Arguments } from './command.ts';
import { UsageError } from './usage-error.ts';

/** Range of --timeout of a query, for its help. */
export const TIMEOUT_RANGE = `at most ${LIMITS.queryTimeoutMaxSec} (default ${LIMITS.queryTimeoutSec})`;

/** The seconds of --timeout of the command `words`; undefined when it was not given. Throws UsageError for an invalid time. */
export function timeoutOf(args: Arguments, words: string): number | undefined {
  const text = args.text('timeout');
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= LIMITS.queryTimeoutMaxSec) return seconds;
  const range = `more than 0 and at most ${LIMITS.queryTimeoutMaxSec}`;
  throw new UsageError(`--timeout takes seconds, ${range}, not "${text}".`, words);
}
