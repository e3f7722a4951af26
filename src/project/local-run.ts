import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PlatformError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { descriptorOf, ENVIRONMENT_OF_ALL } from '../runtimes/descriptors.ts';
import { programName } from '../runtimes/interpreter-version.ts';
import { BY_PACKAGE, type Interpreter } from '../runtimes/runtime.ts';
import { isJsonObject } from '../shared/json.ts';
import { parseEntrypoint } from '../shared/parse-entrypoint.ts';
import type { Project } from './read-project.ts';

/** A local run: a project, its effective config, and a folder for the files that it leaves behind. */
export interface DevRun {
  readonly project: Project;
  readonly config: Readonly<Record<string, unknown>>;
  readonly workDir: string;
  /** Folder with the product's runners. */
  readonly runnersDir: string;
  /** The Node that runs the host, and the bots that are written for it. */
  readonly node: string;
  /** The file of the interpreter that the project names; left out, it is looked for on the search path. */
  readonly interpreter?: string;
  /** This program's environment; the bot gets only the part that programs need to start. */
  readonly env: NodeJS.ProcessEnv;
}

/** The command of an entry by runtime. */
function commandOf(dev: DevRun, entry: string): readonly [string, readonly string[]] {
  const { project, runnersDir } = dev;
  const parts = parseEntrypoint(entry);
  const { interpreter, args } = descriptorOf(project.runtime);
  if (interpreter === null) return [join(project.dir, parts.file), []];
  const given = project.config.command?.arguments ?? [];
  return [programOf(interpreter, dev), args(parts, (file) => join(runnersDir, file), given)];
}

function programOf(of: Interpreter | typeof BY_PACKAGE, { project, node, interpreter }: DevRun): string {
  if (of === BY_PACKAGE) return interpreter ?? project.config.command?.interpreter ?? '';
  return of.runsHost === true ? node : programName(of, process.platform);
}

/** The environment of a bot (docs/writing-bots.md#what-a-bot-sees). */
function environmentOf({ project, config, workDir, env }: DevRun): Record<string, string> {
  const { PATH = '', HOME = '', SystemRoot } = env;
  const id = `bot_dev_${project.config.name}`;
  const text = JSON.stringify(config);
  return {
    ...(SystemRoot === undefined ? {} : { SystemRoot }),
    PATH,
    HOME,
    TMPDIR: tmpdir(),
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    BOT_ID: id,
    BOT_CONFIG: text,
    ID: id,
    CONFIG: text,
    BOT_TYPE: project.config.type,
    RUN_ID: 'run_dev',
    CODE_MOUNT_DIR: project.dir,
    STATE_DIR: join(workDir, 'state'),
    RESULT_FILE: join(workDir, 'result.json'),
    ...ENVIRONMENT_OF_ALL,
    ...descriptorOf(project.runtime).environment?.({ dir: project.dir, join, delimiter }),
  };
}

/** Starts an entry of a project in its own process group, so that everything the bot starts ends with it. */
export function startEntry(dev: DevRun, entry: string, extra: Readonly<Record<string, string>> = {}): ChildProcess {
  mkdirSync(join(dev.workDir, 'state'), { recursive: true });
  const [program, args] = commandOf(dev, entry);
  const detached = process.platform !== 'win32';
  const env = { ...environmentOf(dev), ...extra };
  return spawn(program, args, { cwd: dev.project.dir, env, detached, stdio: ['ignore', 'pipe', 'pipe'] });
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    child.kill(signal);
    return;
  }
  try {
    // Also after the program's end: its children may run on and hold its output open.
    process.kill(-child.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The meaning of an output line: a metric, or a log line with its level. */
export type OutputLine =
  | { readonly metric: { readonly type: string; readonly data: Record<string, unknown> } }
  | { readonly level: 'error' | 'warn' | 'debug' | 'info' };

export function readOutputLine(text: string): OutputLine {
  let value: unknown = null;
  if (text.startsWith('{')) {
    try {
      value = JSON.parse(text);
    } catch (error) {
      // A line that only looks like JSON is a log line.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  if (isJsonObject(value) && typeof value._metric === 'string') {
    const { _metric, timestamp: _, ...data } = value;
    return { metric: { type: _metric, data } };
  }
  const word = /^(ERROR|WARN|DEBUG)\b/.exec(text)?.[1]?.toLowerCase();
  return { level: word === 'error' || word === 'warn' || word === 'debug' ? word : 'info' };
}

/** Waits for a program to end and returns its exit code; the signal asks it to stop and then kills it. */
export async function programEnd(child: ChildProcess, program: string, signal: AbortSignal): Promise<number> {
  let last: NodeJS.Timeout | undefined;
  const stop = (): void => {
    endGroup(child, 'SIGTERM');
    last = setTimeout(() => endGroup(child, 'SIGKILL'), LIMITS.stopGraceMs).unref();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const end = new Promise<number>((resolve, reject) => {
    child.once('error', (cause) => {
      const hint = 'Install it, or build the project first. `platform doctor` checks this machine.';
      reject(
        new PlatformError('ENGINE_UNAVAILABLE', `${program} cannot be started: ${cause.message}`, { hint, cause }),
      );
    });
    child.once('close', (code, killedBy) => resolve(code ?? (killedBy === null ? 1 : 128)));
  });
  return end.finally(() => {
    signal.removeEventListener('abort', stop);
    clearTimeout(last);
  });
}
