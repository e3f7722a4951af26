import { invalid, type Problem } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';

const SUFFIX = '.json';
/** Longest name of a file on every usual file system; each escaped byte takes three of its characters. */
const MOST_NAME = 255;
const PLAIN = /[A-Za-z0-9_.-]/;

/**
 * The problem of a state key, or null. A key has 1-128 bytes of UTF-8 without `/`, `\` and NUL, and is not `.` or `..`.
 */
export function keyProblem(key: string): Problem | null {
  const problem = (message: string): Problem => ({ path: 'key', message });
  if (key === '') return problem('a state key must not be empty');
  if (Buffer.byteLength(key) > LIMITS.stateKeyBytes)
    return problem(`a state key has at most ${LIMITS.stateKeyBytes} bytes`);
  if (key.includes('/') || key.includes('\\') || key.includes('\0'))
    return problem('a state key holds no /, \\ or NUL');
  if (key === '.' || key === '..') return problem('"." and ".." are no state keys');
  if (!key.isWellFormed()) return problem('a state key must be valid Unicode');
  if (encodeKey(key).length <= MOST_NAME) return null;
  return problem('a state key with so many characters beyond A-Z a-z 0-9 _ . - is too long for a file name');
}

/** Throws INVALID_REQUEST for an invalid key. */
export function checkKey(key: string): void {
  const problem = keyProblem(key);
  if (problem !== null) throw invalid('INVALID_REQUEST', [problem]);
}

/**
 * File of a key: bytes outside `A-Za-z0-9_.-`, and a leading dot, as `%XX`, spelled as the SDKs do
 * (resources/sdk/vectors).
 */
export function encodeKey(key: string): string {
  let name = '';
  for (const byte of Buffer.from(key)) {
    const char = String.fromCharCode(byte);
    const plain = byte < 128 && PLAIN.test(char) && !(name === '' && char === '.');
    name += plain ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return name + SUFFIX;
}

/**
 * Names under which a bot may have written a key, ours first: hexadecimal digits in upper or in lower case throughout.
 */
export function namesOf(key: string): readonly string[] {
  const name = encodeKey(key);
  const small = name.replace(/%../g, (hex) => hex.toLowerCase());
  return small === name ? [name] : [name, small];
}

/** The key of a file name, or null for a file that is not ours. */
export function decodeKey(name: string): string | null {
  if (!name.endsWith(SUFFIX)) return null;
  const stem = name.slice(0, -SUFFIX.length);
  if (!/^(?:[A-Za-z0-9_.-]|%[0-9A-Fa-f]{2})+$/.test(stem)) return null;
  const bytes = stem.replace(/%(..)/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  let key: string;
  try {
    key = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
  return namesOf(key).includes(name) && keyProblem(key) === null ? key : null;
}
