import { closeSync, fstatSync, readSync } from 'node:fs';
import { openUntrustedSync } from '../../../../node/open-untrusted.ts';
import type { UnitExit } from '../engine.ts';
import { exitOf } from '../read-exit-code.ts';

/**
 * The end that launch.sh recorded; null if it did not get so far. The time is the file's own. The bot can write to the
 * run folder, so this throws for anything but a readable plain file.
 */
export function readExitFile(file: string): UnitExit | null {
  const fd = openUntrustedSync(file);
  if (fd === 'missing') return null;
  if (fd === 'strange') throw new Error(`${file} is not a plain file: the bot has put something else in its place`);
  try {
    const bytes = Buffer.alloc(8);
    const text = bytes.toString('latin1', 0, readSync(fd, bytes));
    // Without the newline the write was cut short, and the code is unknown.
    const code = /^(\d{1,3})\n$/.exec(text)?.[1];
    return code === undefined ? null : exitOf(Number(code), Math.round(fstatSync(fd).mtimeMs));
  } finally {
    closeSync(fd);
  }
}

/** As readExitFile, for a launcher that is gone: an unreadable end is reported, and `unseen` is returned. Never throws. */
export function exitLeft(file: string, unseen: UnitExit, report: (message: string, error: unknown) => void): UnitExit {
  try {
    return readExitFile(file) ?? unseen;
  } catch (error) {
    report(`The exit status in ${file} could not be read`, error);
    return unseen;
  }
}
