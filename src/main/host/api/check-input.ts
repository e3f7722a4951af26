import type { z } from 'zod';
import { invalid, type Problem } from '../../../contract/errors.ts';
import { didYouMean } from '../../../shared/did-you-mean.ts';
import { issueText } from '../../../shared/zod-issue-text.ts';

type Issue = z.core.$ZodIssue;

const FIELDS_HINT = 'The fields of every operation are described at /api/v1/openapi.json.';

function unknownKeys(
  issue: Issue & { code: 'unrecognized_keys' },
  path: readonly string[],
  known: string[],
): Problem[] {
  return issue.keys.map((key) => {
    const near = didYouMean(key, known);
    return {
      path: [...path, key].join('.'),
      message: 'is not a field of this operation',
      hint: near === null || near === undefined ? FIELDS_HINT : `Did you mean ${near}?`,
    };
  });
}

function problemsOf(issue: Issue, known: string[]): Problem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue, path, path.length === 0 ? known : []);
  const message = issueText(issue);
  // The problem already says what is expected; for a missing field, the list of fields helps.
  return [{ path: path.join('.'), message, ...(message === 'is missing' ? { hint: FIELDS_HINT } : {}) }];
}

/** Validates against a schema of the operation table; throws INVALID_REQUEST with every problem found. */
export function checkInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  const known = 'shape' in schema && typeof schema.shape === 'object' ? Object.keys(schema.shape ?? {}) : [];
  throw invalid(
    'INVALID_REQUEST',
    result.error.issues.flatMap((issue) => problemsOf(issue, known)),
  );
}
