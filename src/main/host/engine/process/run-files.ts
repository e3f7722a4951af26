import { join } from 'node:path';
import { RESULT_LINK } from '../../../../node/result-link-in-code.ts';
import type { OutputFile, UnitRole } from '../engine.ts';

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
