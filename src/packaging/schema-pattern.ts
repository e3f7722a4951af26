import { RE2JS } from 're2js';

/** A compiled `pattern` of a schema; matching takes time linear in the text, whatever the pattern. */
export interface Pattern {
  test(text: string): boolean;
  /** The text of the pattern. Ajv takes two patterns of a schema for one where their texts are equal. */
  toString(): string;
}

/** A pattern that cannot be used: what is wrong and the fix. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

const MAX_CACHED = 500;
const cache = new Map<string, Pattern>();

function explain(pattern: string, cause: unknown): PatternError {
  const shown = JSON.stringify(pattern.slice(0, 80));
  if (/\(\?<?[=!]/.test(pattern))
    return new PatternError(
      `the pattern ${shown} uses look-ahead or look-behind, which is not supported`,
      'Write it without (?=…) (?!…) (?<=…) (?<!…): patterns are matched in linear time. Several conditions can stand in "allOf", each with its own pattern.',
    );
  if (/\\[1-9k]/.test(pattern))
    return new PatternError(
      `the pattern ${shown} uses a back-reference, which is not supported`,
      'Write it without \\1: patterns are matched in linear time.',
    );
  const reason = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, '') : String(cause);
  return new PatternError(
    `the pattern ${shown} is not a valid regular expression: ${reason}`,
    'Correct the pattern. Repeat counts go up to 1000; write "\\\\d" in JSON for \\d.',
  );
}

/**
 * Compiles a schema's `pattern` with a matcher that cannot backtrack: a hostile one would stop the host for hours.
 * Throws PatternError for look-around, back-references, and invalid regular expressions.
 */
export function compilePattern(pattern: string): Pattern {
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    throw explain(pattern, error);
  }
  const result: Pattern = { test: (text) => compiled.test(text), toString: () => pattern };
  const [oldest] = cache.keys();
  if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  cache.set(pattern, result);
  return result;
}
