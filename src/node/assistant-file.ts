import { isUtf8 } from 'node:buffer';
import {
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { PlatformError } from '../contract/errors.ts';
import { isQuestionOf, type Setup, tomlLines } from '../shared/assistants.ts';
import { isJsonObject } from '../shared/json.ts';
import { placeInList, placeJson, readJson } from './edit-json.ts';
import { placeToml, tomlTable } from './edit-toml.ts';
import { systemErrorCode } from './system-error.ts';

/** Keys of an entry that say how the server is reached; an assistant's own, such as `disabled`, are kept. */
const OWN = new Set([
  'type',
  'url',
  'httpUrl',
  'serverUrl',
  'headers',
  'http_headers',
  'env_http_headers',
  'bearer_token_env_var',
  'command',
  'args',
  'env',
  'cwd',
]);

/** Bytes of a file; null if it is missing. */
function readBytes(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Content of a file; null if it is missing. Throws INVALID_REQUEST for bytes that are not UTF-8. */
export function readConfig(file: string): string | null {
  const bytes = readBytes(file);
  if (bytes !== null && !isUtf8(bytes)) {
    throw new PlatformError('INVALID_REQUEST', `${file} is not UTF-8 text`, { hint: 'Put the entry in by hand.' });
  }
  return bytes?.toString('utf8') ?? null;
}

/** The entry of a server in a file, as text; '' without one. Throws INVALID_REQUEST for text that cannot be read. */
export function entryIn(text: string, { format, path }: Setup, file: string): string {
  const [list = '', server = ''] = path;
  if (format === 'toml') return tomlTable(text, [list, server], file);
  const found = readJson(text, path, file);
  return found === undefined ? '' : JSON.stringify(found);
}

function withEntry(text: string, setup: Setup, file: string): string {
  const { format, path, entry, lists, server: name } = setup;
  if (format === 'toml') {
    const [list = '', server = ''] = path;
    return placeToml(text, [list, server], tomlLines(entry), OWN, file);
  }
  const found = readJson(text, path, file);
  const kept = isJsonObject(found) ? Object.entries(found).filter(([key]) => !OWN.has(key)) : [];
  const merged = { ...entry, ...Object.fromEntries(kept) };
  const placed = placeJson(text, path, merged, file);
  // The question for an earlier key, where nothing else in the file asks it.
  const isOld = (id: unknown): boolean => isQuestionOf(name, id) && !placed.includes(`\${input:${id}}`);
  return Object.entries(lists).reduce((result, [key, item]) => placeInList(result, key, item, file, isOld), placed);
}

/** The text of an assistant's file with the entries in it, and everything else as it was. INVALID_REQUEST if it cannot. */
export function withEntries(before: string | null, setups: readonly Setup[], file: string): string {
  return setups.reduce((text, setup) => withEntry(text, setup, file), before ?? '');
}

/** The file behind a link, so that the link stays one. */
function target(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return file;
    throw error;
  }
}

/** Copies a file beside itself, and returns the path of the copy. Two copies of one moment get two names. */
function copyPrivate(file: string): string {
  const stamp = new Date().toISOString().replaceAll(/[-:.]/g, '');
  for (let nth = 1; ; nth += 1) {
    const copy = `${file}.backup-${stamp}${nth === 1 ? '' : `-${nth}`}`;
    try {
      copyFileSync(file, copy, constants.COPYFILE_EXCL);
      if (process.platform !== 'win32') chmodSync(copy, 0o600);
      return copy;
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    }
  }
}

function writePrivate(file: string, text: string): void {
  const temporary = `${file}.tmp-${process.pid}`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    if (process.platform !== 'win32') chmodSync(temporary, 0o600);
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * Puts the entries into an assistant's file, readable by its owner only. A copy of the old file is kept beside it; returns the
 * path of the copy, or null where there was no file. Throws INVALID_REQUEST for a file that cannot be changed safely.
 */
export function writeEntries(setups: readonly Setup[], named: string): string | null {
  const file = target(named);
  const before = readConfig(file);
  const after = withEntries(before, setups, named);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const backup = before === null ? null : copyPrivate(file);
  writePrivate(file, after);
  return backup;
}
