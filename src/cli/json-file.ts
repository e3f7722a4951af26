import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { invalid, type PlatformError } from '../contract/errors.ts';
import { INSTANCE_FILE } from '../project/instance-check.ts';
import { isJsonObject } from '../shared/json.ts';
import type { Context } from './command.ts';

/** Returns the reason why a file could not be read, in plain words. */
function whyNot(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'you may not read this file';
  return `cannot be read (${error instanceof Error ? error.message : error})`;
}

/** A file as it was named; for a folder the instance file in it. Throws INVALID_REQUEST for a folder without one. */
function fileOf(cwd: string, path: string, refuse: (message: string, hint: string) => PlatformError): string {
  const file = resolve(cwd, path);
  if (!existsSync(file) || !statSync(file).isDirectory()) return file;
  const inside = join(file, INSTANCE_FILE);
  if (existsSync(inside)) return inside;
  throw refuse('is a folder', `Give the path of a JSON file, or a folder with ${INSTANCE_FILE} in it.`);
}

/**
 * The JSON object in a file, in the instance.json of a folder, or on stdin for `-`. Throws INVALID_REQUEST that names
 * the file and the place.
 */
export async function readJsonObject(
  context: Pick<Context, 'cwd' | 'readStdin'>,
  path: string,
): Promise<Record<string, unknown>> {
  const refuse = (message: string, hint: string) => invalid('INVALID_REQUEST', [{ path, message, hint }]);
  const file = path === '-' ? null : fileOf(context.cwd, path, refuse);
  let text: string;
  try {
    text = file === null ? await context.readStdin() : await readFile(file, 'utf8');
  } catch (error) {
    throw refuse(whyNot(error), 'Give the path of a JSON file, such as my-bot/instance.json.');
  }
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw refuse(`is not JSON: ${error instanceof Error ? error.message : error}`, 'Correct the file.');
  }
  throw refuse('holds no JSON object', 'Write {"name": …, "type": …, "version": …, "config": {…}}.');
}

/** A JSON object given as an option. */
export function parseJsonOption(name: string, text: string): Record<string, unknown> {
  const hint = `Write it in quotes: --${name} '{"limit": "5"}'.`;
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw invalid('INVALID_REQUEST', [
      { path: `--${name}`, message: `is not JSON: ${error instanceof Error ? error.message : error}`, hint },
    ]);
  }
  throw invalid('INVALID_REQUEST', [{ path: `--${name}`, message: 'is not a JSON object', hint }]);
}
