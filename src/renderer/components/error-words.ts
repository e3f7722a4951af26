import { problemHeading } from '../../shared/problem-heading.ts';

/** Parts of a host's error that people are shown. */
export interface ShownError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly details?: unknown;
  readonly requestId?: string | null;
}

interface Problem {
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** An error in words, each fact once. */
interface ErrorWords {
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly hint: string | null;
  /** The complete text, for passing on. */
  readonly text: string;
}

function problemsOf(details: unknown): readonly Problem[] {
  if (!Array.isArray(details)) return [];
  return details.filter(
    (one): one is Problem => typeof one === 'object' && one !== null && 'path' in one && 'message' in one,
  );
}

const lineOf = ({ path, message, hint }: Problem): string =>
  [`${path === '' ? '' : `${path}: `}${message}`, hint].filter(Boolean).join(' ');

/**
 * Puts an error in words. The host repeats the first problem in message and hint, for clients that read only these: a single
 * problem is shown by these, several problems as a list.
 */
export function errorWords({ code, message, hint, details, requestId }: ShownError): ErrorWords {
  const all = problemsOf(details);
  const problems = all.length > 1 || all.some((one) => !message.includes(one.message)) ? all : [];
  const heading = problems.length > 1 ? (problemHeading(code, problems) ?? message) : message;
  const next = problems.some((one) => one.hint === hint) ? null : hint;
  const listed = problems.map((one) => `- ${lineOf(one)}`);
  const text = [`${code}: ${heading}`, ...listed, next, requestId].filter(Boolean).join('\n');
  return { message: heading, problems, hint: next, text };
}
