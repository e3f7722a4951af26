import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { RUNTIMES } from '../contract/custom-bot.ts';
import { PlatformError } from '../contract/errors.ts';
import { formatDuration } from '../isomorphic/duration.ts';
import { parseEntrypoint } from '../isomorphic/entrypoint.ts';
import { isJsonObject } from '../isomorphic/json.ts';
import type { Context } from './command.ts';
import { Interrupted } from './interrupted.ts';
import type { Project } from './project.ts';
import { hostNode, RESOURCES_DIR } from './resources.ts';
import { logLine, metricLine } from './show-event.ts';
import { harmless, printable } from './text.ts';

/** What is run here: a project with its effective config, and a folder for what it leaves behind. */
export interface DevRun {
  readonly project: Project;
  readonly config: Readonly<Record<string, unknown>>;
  readonly workDir: string;
}

const GRACE_MS = 10_000;

/** The command of an entry by runtime (wire.md section 2). */
function commandOf({ dir, runtime }: Project, entry: string): readonly [string, readonly string[]] {
  const runners = join(RESOURCES_DIR, 'runners');
  const { file, mainClass } = parseEntrypoint(entry);
  switch (RUNTIMES[runtime].kind) {
    case 'python':
      return [process.platform === 'win32' ? 'python' : 'python3', [join(runners, 'python_runner.py'), entry]];
    case 'node':
      return [hostNode(), [join(runners, 'node-runner.mjs'), entry]];
    case 'jvm':
      return ['java', mainClass === null ? ['-jar', file] : ['-cp', file, mainClass]];
    case 'dotnet':
      return ['dotnet', [file]];
    case 'binary':
      return [join(dir, file), []];
  }
}

/** The environment of a bot (wire.md section 4); of this process's own only what programs need to start. */
function environmentOf({ project, config, workDir }: DevRun, env: NodeJS.ProcessEnv): Record<string, string> {
  const { PATH = '', HOME = '', SystemRoot, DISPLAY: _ } = env;
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

function start(context: Context, dev: DevRun, entry: string, extra: Readonly<Record<string, string>>): ChildProcess {
  mkdirSync(join(dev.workDir, 'state'), { recursive: true });
  const [program, args] = commandOf(dev.project, entry);
  // A group of its own: what the bot starts is ended with it.
  const detached = process.platform !== 'win32';
  const env = { ...environmentOf(dev, context.env), ...extra };
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

/** Shows a line as the platform would: a metric, or a log line with its level. */
function showLine({ out }: Context, text: string): void {
  const ts = new Date().toISOString();
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
    out.line(metricLine({ ts, type: _metric, data }, out.colours));
    return;
  }
  const word = /^(ERROR|WARN|DEBUG)\b/.exec(text)?.[1]?.toLowerCase();
  const level = word === 'error' || word === 'warn' || word === 'debug' ? word : 'info';
  out.line(logLine({ ts, level, source: 'stdout', message: text, fields: null }, out.colours));
}

/** Waits for the end of a program and gives its exit code; the signal asks it to stop, and ends it when it does not. */
async function ended(child: ChildProcess, program: string, signal: AbortSignal): Promise<number> {
  let last: NodeJS.Timeout | undefined;
  const stop = (): void => {
    endGroup(child, 'SIGTERM');
    last = setTimeout(() => endGroup(child, 'SIGKILL'), GRACE_MS).unref();
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

/** Runs the bot with live output until it ends or Ctrl-C; resolves to its exit code. */
export async function runBot(context: Context, dev: DevRun): Promise<number> {
  const { out, signal } = context;
  const { bot } = dev.project.config.entrypoints;
  const result = join(dev.workDir, 'result.json');
  rmSync(result, { force: true });
  const begun = performance.now();
  const child = start(context, dev, bot, {});
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) {
      createInterface({ input: stream }).on('line', (line) =>
        out.json ? out.raw(`${line}\n`) : showLine(context, line),
      );
    }
  }
  const code = await ended(child, bot, signal);
  if (existsSync(result)) out.note(`result: ${printable(readFileSync(result, 'utf8').trimEnd())}`);
  const took = formatDuration(performance.now() - begun);
  if (signal.aborted) {
    if (!out.json) out.note(`Stopped after ${took}.`);
    return 0;
  }
  out.note(code === 0 ? `The bot has ended after ${took}.` : `The bot ended with exit code ${code} after ${took}.`);
  return code;
}

/** What a query asks; `timeoutSec` is how long its program may take. */
export interface DevQuery {
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly timeoutSec: number;
}

/** Passes on what a program prints, to stderr; a terminal gets it harmless. */
function passOn(stream: Readable | null): void {
  const terminal = process.stderr.isTTY === true;
  if (terminal) stream?.setEncoding('utf8');
  stream?.on('data', (part) => process.stderr.write(terminal ? harmless(String(part)) : part));
}

/**
 * Starts the query program for one query and gives its answer. Throws QUERY_PATH_NOT_FOUND, QUERY_FAILED, QUERY_TIMEOUT,
 * or Interrupted after Ctrl-C; the program is gone by then.
 */
export async function answerQuery(
  context: Context,
  dev: DevRun,
  { path, params, timeoutSec }: DevQuery,
): Promise<unknown> {
  const { query } = dev.project.config.entrypoints;
  if (query === undefined) {
    throw new PlatformError('QUERY_PATH_NOT_FOUND', 'This project has no query program', {
      hint: 'Name one as entrypoints.query in bot-config.yaml.',
    });
  }
  const file = join(dev.workDir, 'query-result.json');
  rmSync(file, { force: true });
  const child = start(context, dev, query, {
    QUERY_PATH: path.startsWith('/') ? path : `/${path}`,
    QUERY_PARAMS: JSON.stringify(params),
    QUERY_RESULT_FILE: file,
  });
  for (const stream of [child.stdout, child.stderr]) passOn(stream);
  const limit = AbortSignal.timeout(timeoutSec * 1000);
  const code = await ended(child, query, AbortSignal.any([context.signal, limit]));
  if (context.signal.aborted) throw new Interrupted();
  if (limit.aborted) {
    throw new PlatformError('QUERY_TIMEOUT', `The query program did not finish within ${timeoutSec} s`, {
      hint: 'Give it longer with --timeout SEC, or let its handler answer sooner.',
    });
  }
  const envelope: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  if (isJsonObject(envelope) && envelope.status === 'ok') return envelope.data;
  if (isJsonObject(envelope)) {
    const missing = Array.isArray(envelope.available);
    const hint = missing ? `It has ${(envelope.available as unknown[]).join(', ')}.` : undefined;
    throw new PlatformError(missing ? 'QUERY_PATH_NOT_FOUND' : 'QUERY_FAILED', String(envelope.error), { hint });
  }
  throw new PlatformError('QUERY_FAILED', `The query program ended with exit code ${code} and no answer`, {
    hint: 'What it printed stands above.',
  });
}
