import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { invalid } from '../contract/errors.ts';
import { isJsonObject } from '../isomorphic/json.ts';
import type { Context } from './command.ts';

/** The JSON object in a file, or on stdin for `-`. Throws INVALID_REQUEST that names the file and the place. */
export async function readJsonObject(context: Context, path: string): Promise<Record<string, unknown>> {
  const refuse = (message: string, hint: string) => invalid('INVALID_REQUEST', [{ path, message, hint }]);
  let text: string;
  try {
    text = path === '-' ? await context.readStdin() : await readFile(resolve(context.cwd, path), 'utf8');
  } catch (error) {
    throw refuse(`cannot be read (${error instanceof Error ? error.message : error})`, 'Give the path of a JSON file.');
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
