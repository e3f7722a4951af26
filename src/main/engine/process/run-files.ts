import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../../base/system-error.ts';
import type { OutputFile, UnitExit, UnitRole } from '../engine.ts';
import { exitOf } from '../exit.ts';

/** Files of one role inside the private folder of a run. */
export interface RunFiles {
  readonly stdout: string;
  readonly stderr: string;
  /** Written by launch.sh when the program has ended. */
  readonly exit: string;
  readonly result: string;
  readonly queryResult: string;
  readonly home: string;
  readonly temporary: string;
  /** Copy of the state that a query run works on. */
  readonly stateView: string;
  readonly queryPort: string;
}

/** Bot and query program of a run share home, temporary files and port; all else is per role. */
export function runFiles(runDir: string, role: UnitRole): RunFiles {
  return {
    stdout: join(runDir, `${role}.out`),
    stderr: join(runDir, `${role}.err`),
    exit: join(runDir, `${role}.exit`),
    result: join(runDir, `${role}.result.json`),
    queryResult: join(runDir, `${role}.answer.json`),
    home: join(runDir, 'home'),
    temporary: join(runDir, 'tmp'),
    stateView: join(runDir, 'state'),
    queryPort: join(runDir, 'query.port'),
  };
}

/** The output files of a role as an engine reports them. */
export function outputsOf(files: RunFiles): readonly OutputFile[] {
  return [
    { path: files.stdout, stream: 'stdout' },
    { path: files.stderr, stream: 'stderr' },
  ];
}

/**
 * What launch.sh left behind; null when it did not get so far. The time is the file's own. The run folder is writable for
 * the bot: throws for what is no plain file or cannot be read.
 */
export function readExitFile(file: string): UnitExit | null {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ELOOP') return null;
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error(`${file} is not a plain file: the bot has put something else in its place`);
    const bytes = Buffer.alloc(8);
    const text = bytes.toString('latin1', 0, readSync(fd, bytes));
    // Without the newline the write was cut short: then nobody knows the code.
    const code = /^(\d{1,3})\n$/.exec(text)?.[1];
    return code === undefined ? null : exitOf(Number(code), Math.round(stat.mtimeMs));
  } finally {
    closeSync(fd);
  }
}

/** As readExitFile for a launcher that is gone: what cannot be told is reported and `unseen`. Never throws. */
export function exitLeft(file: string, unseen: UnitExit, report: (message: string, error: unknown) => void): UnitExit {
  try {
    return readExitFile(file) ?? unseen;
  } catch (error) {
    report(`The exit status in ${file} could not be read`, error);
    return unseen;
  }
}
