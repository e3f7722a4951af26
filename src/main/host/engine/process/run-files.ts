import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { openUntrustedSync } from '../../../../node/open-untrusted.ts';
import { RESULT_LINK } from '../../../../node/result-link-in-code.ts';
import type { OutputFile, UnitExit, UnitRole } from '../engine.ts';
import { exitOf } from '../exit.ts';

/** Files of one role inside the private folder of a run. */
export interface RunFiles {
  /** Folder of everything that the programs write, but the state and CODE_MOUNT_DIR. */
  readonly own: string;
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
  /** Folder of the control channel. */
  readonly control: string;
  /** Folder that the bot finds as CODE_MOUNT_DIR. */
  readonly codeView: string;
  /** A link to `result`, unless the bot has put a file of its own in its place. */
  readonly resultBesideCode: string;
}

/**
 * Bot and query program of a run share home, temporary files and port; all else is per role. `own`: the folder that the
 * programs may write to, in the sandbox one inside the folder of the run. What the host or launch.sh writes must lie
 * outside of it: a link that a sandboxed program put in the way would lead them out.
 */
export function runFiles(runDir: string, role: UnitRole, own: string = runDir): RunFiles {
  return {
    own,
    stdout: join(runDir, `${role}.out`),
    stderr: join(runDir, `${role}.err`),
    exit: join(runDir, `${role}.exit`),
    result: join(own, `${role}.result.json`),
    queryResult: join(own, `${role}.answer.json`),
    home: join(own, 'home'),
    temporary: join(own, 'tmp'),
    stateView: join(runDir, 'state'),
    queryPort: join(runDir, 'query.port'),
    control: join(runDir, `${role}.control`),
    codeView: join(runDir, 'code'),
    resultBesideCode: join(runDir, 'code', RESULT_LINK.name),
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
