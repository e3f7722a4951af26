import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { PlatformError } from '../../../../contract/errors.ts';
import { openUntrustedSync } from '../../../../node/open-untrusted.ts';
import { errorText, systemErrorCode } from '../../../../node/system-error.ts';
import type { UnitExit, WarmChannel } from '../engine.ts';
import { exitOf } from '../read-exit-code.ts';
import { createWarmChannel } from '../warm-channel.ts';
import { exitLeft } from './exit-file.ts';
import type { UnitContext } from './process-unit.ts';
import type { RunFiles } from './run-files.ts';

type LaunchContext = Pick<UnitContext, 'clock' | 'report'>;

/** A program that waits for `go` before it runs any code of the bot. */
export interface Launched {
  readonly pid: number;
  /** Resolves when the launcher is gone, with the known facts about the program's end. Never rejects. */
  readonly ended: Promise<UnitExit>;
  /** Null unless it was planned. */
  readonly warm: WarmChannel | null;
  go(): void;
  /** Closes the launcher's input without `go`: it ends and the bot's code never runs. */
  abandon(): void;
}

export interface LaunchPlan {
  readonly program: string;
  readonly args: readonly string[];
  readonly codeDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Arguments of launch.sh for limits. */
  readonly limits: readonly string[];
  readonly files: RunFiles;
  readonly runnersDir: string;
  /** The program waits for a question on its standard input and reports on WARM_FD. */
  readonly warm: boolean;
  /** A line for IDENTITY_FD; null for a program without. */
  readonly identity: string | null;
}

/** The file descriptor on which a program reports that it waits for its question; launch.sh uses 3 itself. */
export const WARM_FD = 4;

/** The file descriptor from which the supervisor of the sandbox reads the identity of its bot. */
export const IDENTITY_FD = 5;

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** The run folder is writable for the bot, whose query program starts later than the bot itself. */
function openOutput(file: string): number {
  const fd = openUntrustedSync(file, APPEND, 0o600);
  if (typeof fd === 'number') return fd;
  throw new PlatformError('ENGINE_UNAVAILABLE', `The output cannot be written to ${file}, which is no plain file`, {
    hint: 'The bot has put something else in its place. Restart the bot: each run has a folder of its own.',
  });
}

function spawned(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (error) => {
      const busy = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'].includes(systemErrorCode(error) ?? '');
      const hint = busy
        ? 'The system is out of processes, memory or open files: stop some bots and try again.'
        : undefined;
      const text = `${program} could not be started: ${errorText(error)}`;
      const again = busy ? { retryAfter: 1 } : {};
      reject(new PlatformError('ENGINE_UNAVAILABLE', text, { hint, cause: error, ...again }));
    });
  });
}

function ended(child: ChildProcess, files: RunFiles, { clock, report }: LaunchContext): Promise<UnitExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      if (code !== null) return resolve(exitOf(code, clock.now()));
      // The launcher itself was ended. It may have written the program's own end before.
      resolve(exitLeft(files.exit, { exitCode: null, signal, endedAt: clock.now() }, report));
    });
  });
}

function warmChannel(child: ChildProcess, exited: Promise<unknown>): WarmChannel {
  const reports = child.stdio[WARM_FD];
  if (child.stdin === null || !(reports instanceof Readable)) throw new Error('a warm program has pipes');
  return createWarmChannel({ input: child.stdin, reports, exited });
}

function tellIdentity(child: ChildProcess, identity: string): void {
  const pipe = child.stdio.at(IDENTITY_FD);
  if (!(pipe instanceof Writable)) throw new Error('a program with an identity has a pipe');
  // As with its input.
  pipe.on('error', () => pipe.destroy());
  pipe.end(`${identity}\n`);
}

/**
 * Starts a program under launch.sh in its own session, with output appended to the spool files and only `env` as
 * environment. Windows has no such launcher: there the program itself starts at once, so a host that dies at the wrong
 * moment may leave an unknown program. Containers avoid that (docs/docker.md).
 */
export async function launch(plan: LaunchPlan, context: LaunchContext): Promise<Launched> {
  const windows = process.platform === 'win32';
  const outputs: number[] = [];
  try {
    for (const file of [plan.files.stdout, plan.files.stderr]) outputs.push(openOutput(file));
    const script = join(plan.runnersDir, 'launch.sh');
    const input = plan.warm ? 'question' : 'none';
    const own = [script, plan.files.exit, ...plan.limits, input, plan.program, ...plan.args];
    const child = spawn(windows ? plan.program : '/bin/sh', windows ? [...plan.args] : own, {
      cwd: plan.codeDir,
      env: { ...plan.env },
      // On Windows libuv ends every other child with its parent, and a bot outlives its host.
      detached: true,
      stdio: [
        ...[windows ? ('ignore' as const) : ('pipe' as const), ...outputs],
        ...(plan.warm || plan.identity !== null
          ? ['ignore' as const, plan.warm ? ('pipe' as const) : ('ignore' as const)]
          : []),
        ...(plan.identity === null ? [] : ['pipe' as const]),
      ],
      windowsHide: true,
    });
    const end = ended(child, plan.files, context);
    // A launcher that is gone before it has read its input is seen by its exit.
    child.stdin?.on('error', () => child.stdin?.destroy());
    if (plan.identity !== null) tellIdentity(child, plan.identity);
    const warm = plan.warm ? warmChannel(child, end) : null;
    const pid = await spawned(child, plan.program);
    return {
      pid,
      ended: end,
      warm,
      go: () => void (warm === null ? child.stdin?.end('go\n') : child.stdin?.write('go\n')),
      abandon: () => (windows ? void child.kill('SIGKILL') : child.stdin?.destroy()),
    };
  } finally {
    for (const fd of outputs) closeSync(fd);
  }
}
