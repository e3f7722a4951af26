import { mkdir } from 'node:fs/promises';
import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { openUntrusted } from '../../../node/open-untrusted.ts';
import { removeTree } from '../../../node/remove-tree.ts';
import { outOfMemoryIn } from '../../../runtimes/out-of-memory.ts';
import type { Engine, Unit, UnitExit, UnitSpec } from '../engine/engine.ts';
import { explainLimit } from '../engine/limit-words.ts';
import type { Deadline, Late } from './deadline.ts';
import { openEnvelope } from './envelope.ts';
import { paramsJson, paramVariables } from './query-params.ts';

/** A query answered by a program started for it alone. */
export interface QueryRun {
  readonly engine: Engine;
  /** Spec of the query program; the service adds QUERY_* and `queryRun`. Its run folder is created and removed here. */
  readonly spec: UnitSpec;
  /** Masks the bot's output before it gets into an error. */
  readonly mask: (text: string) => string;
  /** False once the bot is leaving: nothing starts for it any more. */
  readonly isThere?: () => boolean;
  /**
   * True while no program of the bot runs. Only then may a program wait for the next question, because writes of
   * another one are not always visible from outside.
   */
  readonly isAtRest?: () => boolean;
  /**
   * A spec like `spec` for another run, with its own id and folder. It allows a program to be started after the answer
   * that waits for the next question: only for a package that says `prewarm_queries`, because any other program would
   * take itself for a server.
   */
  readonly another?: () => UnitSpec | null;
}

/** A validated question. */
export interface Question {
  readonly path: string;
  readonly params: ReadonlyMap<string, string>;
}

/** Bytes of stderr's end that are read; fewer are shown, because a key block at the end begins further up. */
const STDERR_BYTES = 64 * 1024;
const STDERR_CHARS = 4096;
const STDERR_LINES = 20;

async function readAnswer(unit: Unit): Promise<string | null> {
  const answer = await unit.answer(LIMITS.queryResponseBytes);
  if (answer === 'too large') {
    throw new PlatformError('QUERY_FAILED', `The bot's answer is larger than ${LIMITS.queryResponseBytes} bytes`, {
      hint: 'Let the handler return less, e.g. in pages.',
    });
  }
  return typeof answer === 'string' || answer.text.trim() === '' ? null : answer.text;
}

/** The masked end of a unit's stderr. */
async function lastLines(unit: Unit, mask: (text: string) => string): Promise<string[]> {
  const path = unit.outputs.find((output) => output.stream === 'stderr')?.path;
  const handle = path === undefined ? 'missing' : await openUntrusted(path);
  if (typeof handle === 'string') return [];
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - STDERR_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(STDERR_BYTES), 0, STDERR_BYTES, from);
    const lines = buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n');
    // The first line after a cut is incomplete, and masking needs whole lines.
    const whole = from > 0 ? lines.slice(1) : lines;
    return mask(whole.join('\n'))
      .slice(-STDERR_CHARS)
      .split('\n')
      .slice(-STDERR_LINES)
      .filter((line) => line !== '');
  } finally {
    await handle.close();
  }
}

/** The line that says why a program ended: Node writes frames and its version behind it. */
function lastWords(stderr: readonly string[]): string | null {
  return stderr.findLast((line) => !/^(?:\s+at |Node\.js v\d)/.test(line)) ?? null;
}

function describe(exit: UnitExit, last: string | null): string {
  if (exit.limit !== undefined) return `${explainLimit(exit.limit).what} and was ended`;
  if (exit.signal !== null) return `was ended by ${exit.signal}`;
  if (exit.exitCode === null) return 'ended';
  // The kernel refuses memory before the host has seen how much the program uses.
  const words = exit.exitCode === 0 || last === null ? null : outOfMemoryIn(last);
  return `${words === null ? '' : `ran out of memory (${words}) and `}ended with exit code ${exit.exitCode}`;
}

/** Only containers have such a path. */
const ELSEWHERE =
  'A program that writes its answer to /query/result.json, as SDKs of other systems do, is answered in a container (options.engine).';

/** Hint for a program that ended without an answer. */
function nextStep(exit: UnitExit, last: string | null, isContained: boolean): string {
  if (exit.limit !== undefined) return explainLimit(exit.limit).hint;
  if (exit.exitCode === 0)
    return `Answer through the SDK: query.handler and query.run.${isContained ? '' : ` ${ELSEWHERE}`}`;
  if (last !== null && outOfMemoryIn(last) !== null) return explainLimit('out of memory: ').hint;
  if (last !== null)
    return `Correct what its last line on stderr names: ${last}${isContained ? '' : ` (${ELSEWHERE})`}`;
  return 'It wrote nothing to stderr: run `platform dev --query <path>` in the project to see where it ends.';
}

async function judge(run: QueryRun, unit: Unit, exit: UnitExit, path: string): Promise<unknown> {
  const text = await readAnswer(unit);
  if (text !== null) return openEnvelope({ status: null, text }, path, run.mask);
  const stderr = await lastLines(unit, run.mask);
  const last = lastWords(stderr);
  const details = { exit_code: exit.exitCode, signal: exit.signal, stderr };
  throw new PlatformError('QUERY_FAILED', `The bot's query program ${describe(exit, last)} without an answer`, {
    hint: nextStep(exit, last, run.engine.level === 'container'),
    details,
  });
}

const inSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

function notStarted(engine: string): Late {
  return (ms) =>
    new PlatformError(
      'QUERY_TIMEOUT',
      `Engine ${engine} did not start the bot's query program within ${inSeconds(ms)}`,
      {
        hint: 'See `platform doctor` for its engine, or ask with a longer timeout_sec.',
        retryAfter: 5,
      },
    );
}

const notAnswered: Late = (ms) =>
  new PlatformError('QUERY_TIMEOUT', `The bot's query program did not finish within ${inSeconds(ms)}`, {
    hint: 'Make the handler quicker, or ask with a longer timeout_sec.',
  });

/** The engine is not ready; `said` is its last report. */
function notReady(engine: string, said: string | null): Late {
  return (ms) => {
    if (said === null) return notStarted(engine)(ms);
    const text = `The bot's query program could not be started within ${inSeconds(ms)}, because its image is being fetched. ${said}`;
    const hint = 'Ask again when it is there: `platform images list` shows how far it is.';
    return new PlatformError('ENGINE_UNAVAILABLE', text, { hint, retryAfter: 10 });
  };
}

/** Prepares the engine for a program of the bot. Fetching continues after the deadline. */
export async function prepareQuery({ engine, spec }: QueryRun, deadline: Deadline): Promise<void> {
  deadline.next(notReady(engine.name, null));
  const tell = (said: string): void => deadline.next(notReady(engine.name, said));
  let going = true;
  try {
    await deadline.within(engine.prepare(spec.runtime, (said) => (going ? tell(said) : undefined), spec.command));
  } finally {
    going = false;
  }
}

/** Waits for the end of a program, and ends it once its caller has gone. */
async function endOf(unit: Unit, signal: AbortSignal): Promise<UnitExit> {
  const stop = (): void => void unit.stop(0);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await unit.exited;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * Starts the query program for one query and reads its answer. The program and its run folder are gone when this
 * settles, which may be later than the deadline. Throws QUERY_TIMEOUT, QUERY_FAILED, QUERY_PATH_NOT_FOUND or what the
 * engine throws.
 */
export async function runQuery(run: QueryRun, question: Question, deadline: Deadline): Promise<unknown> {
  const { path, params } = question;
  const { signal } = deadline;
  const variables = { QUERY_PATH: path, QUERY_PARAMS: paramsJson(params), ...paramVariables(params) };
  const spec = { ...run.spec, queryRun: true, env: { ...run.spec.env, ...variables } };
  try {
    signal.throwIfAborted();
    await mkdir(spec.runDir, { recursive: true, mode: 0o700 });
    deadline.next(notStarted(run.engine.name));
    // A late start runs no code of the bot.
    const unit = await run.engine.start(spec, () => signal.throwIfAborted());
    deadline.next(notAnswered);
    const exit = await endOf(unit, signal);
    signal.throwIfAborted();
    return await judge(run, unit, exit, path);
  } finally {
    await removeTree(spec.runDir);
  }
}

/** Asks a waiting program. Its answer counts at once: the caller ends the program. Throws as `runQuery` does. */
export async function askWaiting(run: QueryRun, unit: Unit, question: Question, deadline: Deadline): Promise<unknown> {
  const { path, params } = question;
  const line = `{"path":${JSON.stringify(path)},"params":${paramsJson(params)}}`;
  deadline.next(notAnswered);
  const answered = async (): Promise<unknown> => {
    const said = unit.warm !== null && (await unit.warm.ask(line));
    const text = said ? await readAnswer(unit) : null;
    if (text === null) return judge(run, unit, await unit.exited, path);
    return openEnvelope({ status: null, text }, path, run.mask);
  };
  return deadline.within(answered());
}
