import { closeSync, constants, fdatasyncSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

let counter = 0;

/** Replaces a file as a whole: whoever reads it sees the old text or the new one, never a mix, also after a power cut. */
export function replaceFile(path, text) {
  counter += 1;
  const temporary = join(dirname(path), `.tmp-${process.pid}-${counter}`);
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Opens a file for reading without following a link at its end. */
export function openPlain(path) {
  if (constants.O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink()) throw new Error(`${path} is a link`);
  return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
}
