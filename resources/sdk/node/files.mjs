import { closeSync, constants, fdatasyncSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const RENAME_TRIES = 50;
const RENAME_PAUSE_MS = 10;
/** Errors of Windows while another program has the file open for a moment. */
const BUSY = ['EACCES', 'EBUSY', 'EPERM'];

let counter = 0;

/** A new file of our own: a crash may have left one of this name behind, another thread may be writing its own. */
function openTemporary(folder) {
  for (;;) {
    counter += 1;
    const path = join(folder, `.tmp-${process.pid}-${counter}`);
    try {
      return { path, file: openSync(path, 'wx', 0o600) };
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

function rename(from, to) {
  for (let tries = 1; ; tries++) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (process.platform !== 'win32' || !BUSY.includes(error.code) || tries === RENAME_TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RENAME_PAUSE_MS);
    }
  }
}

/** Replaces a file as a whole: readers see the old bytes or the new ones, never a mix, also after a power cut. */
export function replaceFile(path, bytes) {
  const temporary = openTemporary(dirname(path));
  try {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(temporary.file, bytes, at);
      fdatasyncSync(temporary.file);
    } finally {
      closeSync(temporary.file);
    }
    rename(temporary.path, path);
  } catch (error) {
    rmSync(temporary.path, { force: true });
    throw error;
  }
}

/** Opens a file for reading without following a link at its end. */
export function openPlain(path) {
  if (constants.O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink()) throw new Error(`${path} is a link`);
  return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
}
