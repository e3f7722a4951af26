import type { z } from 'zod';
import { didYouMean } from './did-you-mean.ts';

type Issue = z.core.$ZodIssue;

/** The expected kind of value, by zod's type name. */
const WANTED: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  string: 'text',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const MANY = 12;

function list(values: readonly unknown[]): string {
  const words = values.slice(0, MANY).map(String);
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}${values.length > MANY ? ', …' : ''}`;
}

/** The kind of the given value; the value itself may be a secret. */
function given(input: unknown): string {
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'number') return Number.isInteger(input) ? 'a number' : 'a fraction';
  return { string: 'text in quotes', boolean: 'true or false', object: 'an object' }[String(typeof input)] ?? 'that';
}

function boundText(issue: Issue & { code: 'too_big' | 'too_small' }): string {
  const most = issue.code === 'too_big';
  const bound = String(most ? issue.maximum : issue.minimum);
  const more = most ? 'at most' : 'at least';
  if (issue.origin === 'string') {
    return !most && bound === '1' ? 'must not be empty' : `must have ${more} ${bound} characters`;
  }
  if (issue.origin === 'array' || issue.origin === 'set') {
    return `must have ${more} ${bound} ${bound === '1' ? 'entry' : 'entries'}`;
  }
  if (issue.inclusive === false) return `must be ${most ? 'less' : 'more'} than ${bound}`;
  return `must be ${more} ${bound}`;
}

/** One problem of a value in plain words that follow its path; what our own schemas say stays as it is. */
export function issueText(issue: Issue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is missing';
  if (issue.code === 'invalid_type') {
    return `must be ${WANTED[issue.expected] ?? issue.expected}, not ${given(issue.input)}`;
  }
  if (issue.code === 'invalid_value') {
    const near = typeof issue.input === 'string' ? didYouMean(issue.input, issue.values.map(String)) : null;
    return `must be ${list(issue.values)}${near === null ? '' : `; did you mean ${near}?`}`;
  }
  if (issue.code === 'too_big' || issue.code === 'too_small') return boundText(issue);
  return issue.message;
}

/** Hint for an unknown key: the likely one, and those allowed. */
export function unknownKeyHint(key: string, known: readonly string[]): string {
  const near = didYouMean(key, known);
  return `${near === null ? '' : `Did you mean ${near}? `}Allowed: ${known.join(', ')}.`;
}
