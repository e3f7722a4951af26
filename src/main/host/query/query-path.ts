import { invalid } from '../../../contract/errors.ts';

const MAX_CHARS = 2048;
/** Decodings that are checked: a server that decodes twice must not see an unchecked path. */
const DECODINGS = 3;

function pathProblem(path: string): string | null {
  if (path.startsWith('//')) return 'must begin with one /';
  if (path.includes('..')) return 'must not contain ..';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path)) return 'must not contain control characters';
  if (path.includes('\\')) return 'must not contain a backslash';
  if (/^\/*[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(path)) return 'must be a path, not an address';
  return path.isWellFormed() ? null : 'must be valid Unicode';
}

function decodeOnce(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/**
 * Checks the path of a query and adds a missing leading slash: one `/` first, no `..`, no control characters, no
 * authority, also not behind percent-encoding. Throws INVALID_REQUEST.
 */
export function checkQueryPath(path: string): string {
  const refuse = (message: string, hint?: string): Error =>
    invalid('INVALID_REQUEST', [{ path: 'path', message: `the query path ${message}` }], hint);
  if (path.length > MAX_CHARS) throw refuse(`has at most ${MAX_CHARS} characters`);
  const full = path.startsWith('/') ? path : `/${path}`;
  const separator = /[?#]/.exec(full)?.[0];
  if (separator !== undefined)
    throw refuse(`must not contain ${separator}`, 'Pass parameters as params, not in the path.');
  let decoded: string | null = full;
  for (let pass = 0; pass <= DECODINGS && decoded !== null; pass++) {
    const problem = pathProblem(decoded);
    if (problem !== null) throw refuse(problem);
    const next = decodeOnce(decoded);
    // Servers disagree on broken percent-encoding, so its meaning cannot be checked.
    if (next === null && pass === 0) throw refuse('holds a % that is not followed by two hexadecimal digits');
    if (next === decoded) break;
    decoded = next;
  }
  return full;
}

/** The path for a request line: percent-encodes what HTTP forbids there, nothing twice. */
export function encodeQueryPath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+/gu, (part) => encodeURIComponent(part));
}
