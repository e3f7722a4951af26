import { closeSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openPlain, replaceFile } from './files.mjs';
import { isReadOnly } from './mode.mjs';

const KEY_BYTES = 128;
const VALUE_BYTES = 10 * 1024 * 1024;
const SUFFIX = '.json';
/** Keys that are written as they are. */
const PLAIN_KEY = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$/;

function folder() {
  const { STATE_DIR } = process.env;
  if (!STATE_DIR) throw new Error('STATE_DIR is not set: start the bot with the platform, or with `platform dev`');
  return STATE_DIR;
}

/** Bytes outside A-Z a-z 0-9 _ . - and a leading dot are written as %XX. */
function fileName(key) {
  if (typeof key === 'string' && PLAIN_KEY.test(key)) return key + SUFFIX;
  const bytes = Buffer.from(String(key), 'utf8');
  const fits = bytes.length > 0 && bytes.length <= KEY_BYTES;
  // Half a surrogate pair has no UTF-8: several such keys would share one file.
  if (typeof key !== 'string' || !fits || !key.isWellFormed() || /[/\\\0]/.test(key) || key === '.' || key === '..') {
    throw new RangeError(
      `${JSON.stringify(key)} is no state key: use 1 to ${KEY_BYTES} bytes without / and \\, not "." or ".."`,
    );
  }
  const encoded = Array.from(bytes, (byte, index) => {
    const char = String.fromCharCode(byte);
    return /[A-Za-z0-9_-]/.test(char) || (char === '.' && index > 0)
      ? char
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return encoded.join('') + SUFFIX;
}

/** Thrown where a query would change state. */
export class ReadOnlyStateError extends Error {
  name = 'ReadOnlyStateError';
}

function refuseIfReadOnly() {
  if (isReadOnly()) {
    throw new ReadOnlyStateError('A query must not change state: write it in the bot, read it in the handler');
  }
}

function parseValue(key, text) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`the state under ${JSON.stringify(key)} is not JSON: ${cause.message}`, { cause });
  }
}

/**
 * The value under a key; `fallback` (undefined unless given) when there is none. Throws a RangeError for an invalid key
 * (1 to 128 bytes, no / and \\, not "." or ".."), and an Error for a file that is not JSON.
 */
export function get(key, fallback) {
  const path = join(folder(), fileName(key));
  let file;
  try {
    file = openPlain(path);
  } catch (error) {
    if (error.code === 'ENOENT') return fallback;
    throw error;
  }
  try {
    return parseValue(key, readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
}

/**
 * Stores a value that JSON can hold, of 10 MiB at most, under a key; readers see the old value or the new one, never a
 * mix. Throws a RangeError for an invalid key or a too large value, a TypeError for what JSON cannot hold, and a
 * ReadOnlyStateError in a query.
 */
export function set(key, value) {
  refuseIfReadOnly();
  const name = fileName(key);
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError('a state value must be a value that JSON can hold');
  const bytes = Buffer.from(text);
  if (bytes.length > VALUE_BYTES) {
    throw new RangeError(`the value of ${key} is ${bytes.length} bytes; at most ${VALUE_BYTES} fit`);
  }
  const path = join(folder(), name);
  try {
    replaceFile(path, bytes);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    mkdirSync(folder(), { recursive: true });
    replaceFile(path, bytes);
  }
}

/** Removes a key; true when it was there. Throws a ReadOnlyStateError in a query. */
export function remove(key) {
  refuseIfReadOnly();
  const path = join(folder(), fileName(key));
  try {
    lstatSync(path);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
  rmSync(path);
  return true;
}

/** Another name of remove(). */
export { remove as delete };

/** Whether there is a value under a key. */
export function exists(key) {
  const path = join(folder(), fileName(key));
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The key of a file, or nothing: what the bot itself put into the folder need not be one of ours. */
function keyOf(name) {
  try {
    const key = decodeURIComponent(name.slice(0, -SUFFIX.length));
    return fileName(key) === name ? [key] : [];
  } catch (error) {
    if (error instanceof URIError || error instanceof RangeError) return [];
    throw error;
  }
}

/** All keys, sorted by their bytes in UTF-8 (as the SDKs of all languages do). */
export function list() {
  let entries;
  try {
    entries = readdirSync(folder(), { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(SUFFIX))
    .flatMap((entry) => keyOf(entry.name))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/**
 * Removes all keys, one after the other: a reader meanwhile may see some of them. What the bot itself put beside them into
 * the folder stays. Throws a ReadOnlyStateError in a query.
 */
export function clear() {
  refuseIfReadOnly();
  for (const key of list()) remove(key);
}
