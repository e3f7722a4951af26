import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { RUNTIMES } from '../contract/custom-bot.ts';
import { PlatformError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { parseEntrypoint } from '../isomorphic/entrypoint.ts';
import { isJsonObject } from '../isomorphic/json.ts';
import type { Project } from './project.ts';

/** What is run here: a project with its effective config, and a folder for what it leaves behind. */
export interface DevRun {
  readonly project: Project;
  readonly config: Readonly<Record<string, unknown>>;
  readonly workDir: string;
  /** Where the runners of the product are. */
  readonly runnersDir: string;
  /** The Node that runs Node bots. */
  readonly node: string;
  /** The environment that this program has; of it the bot gets only what programs need to start. */
  readonly env: NodeJS.ProcessEnv;
}

/** The command of an entry by runtime (wire.md section 2). */
function commandOf({ project, runnersDir, node }: DevRun, entry: string): readonly [string, readonly string[]] {
  const { file, mainClass } = parseEntrypoint(entry);
  switch (RUNTIMES[project.runtime].kind) {
    case 'python':
      return [process.platform === 'win32' ? 'python' : 'python3', [join(runnersDir, 'python_runner.py'), entry]];
    case 'node':
      return [node, [join(runnersDir, 'node-runner.mjs'), entry]];
    case 'jvm':
      return ['java', mainClass === null ? ['-jar', file] : ['-cp', file, mainClass]];
    case 'dotnet':
      return ['dotnet', [file]];
    case 'binary':
      return [join(project.dir, file), []];
  }
}

/** The environment of a bot (wire.md section 4). */
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
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONPATH: [join(project.dir, 'vendor'), project.dir].join(delimiter),
  };
}

/** Starts an entry of a project as a group of its own: what the bot starts is ended with it. */
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
    // Also after the program itself has ended: what it started may go on and hold its output open.
    process.kill(-child.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** What a line of output means to the platform: a metric, or a log line with its level. */
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

/** Waits for the end of a program and gives its exit code; the signal asks it to stop, and ends it when it does not. */
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
