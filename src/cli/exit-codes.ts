import { ERROR_RULES, type ErrorCode } from '../contract/errors.ts';

/** Exit codes of every command; documented in docs/cli.md#exit-codes. */
export const EXIT = {
  ok: 0,
  internal: 1,
  usage: 2,
  denied: 3,
  notFound: 4,
  conflict: 5,
  unavailable: 6,
  queryFailed: 7,
  notesFound: 8,
  faultsFound: 9,
  interrupted: 130,
} as const;

/** The exit code that tells a script what kind of error happened. */
export function exitCodeOf(code: ErrorCode): number {
  if (code === 'QUERY_FAILED') return EXIT.queryFailed;
  const { status } = ERROR_RULES[code];
  if (status === 401 || status === 403) return EXIT.denied;
  if (status === 404) return EXIT.notFound;
  if (status === 409) return EXIT.conflict;
  if (status === 429 || status === 503 || status === 504) return EXIT.unavailable;
  return status >= 500 ? EXIT.internal : EXIT.usage;
}
