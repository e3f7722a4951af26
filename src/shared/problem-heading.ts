import { countProblems } from '../contract/cut-problem-list.ts';

/** Noun for the place of several problems, by error code. */
const HOLDERS: Readonly<Record<string, string>> = {
  INVALID_REQUEST: 'The request',
  INVALID_CONFIG: 'The configuration',
  INVALID_PACKAGE: 'The project',
};

/**
 * The heading of a list of problems. It replaces the message, which repeats the first problem; null where the message
 * says something of its own.
 */
export function problemHeading(code: string, problems: Parameters<typeof countProblems>[0]): string | null {
  const holder = HOLDERS[code];
  return holder === undefined ? null : `${holder} has ${countProblems(problems)} problems:`;
}
