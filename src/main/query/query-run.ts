import { mkdir } from 'node:fs/promises';
import { PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { openStrangers, readBounded } from '../base/bounded-read.ts';
import { removeTree } from '../base/remove-tree.ts';
import type { Engine, Unit, UnitExit, UnitSpec } from '../engine/engine.ts';
import { explainLimit } from '../engine/limit-words.ts';
import { openEnvelope } from './envelope.ts';
import { paramsJson, paramVariables } from './query-params.ts';

/** A query that is answered by a program started for it alone. */
export interface QueryRun {
  readonly engine: Engine;
  /** Of the query program; the service adds QUERY_* and `queryRun`. Its run folder is created and removed here. */
  readonly spec: UnitSpec;
  /** Masks what the bot said before it gets into an error. */
  readonly mask: (text: string) => string;
  /** False once the bot is on its way out: then nothing is started for it any more. */
  readonly isThere?: () => boolean;
  /**
   * A spec like `spec` for another run, with an id and a folder of its own. With it a program is started after the answer
   * that waits for the next question, where that is possible.
   */
  readonly another?: () => UnitSpec | null;
}

/** What is asked, checked. */
export interface Question {
  readonly path: string;
  readonly params: ReadonlyMap<string, string>;
}

/** How long the answer may take, and what ends the wait before. */
export interface AnswerLimit {
  readonly ms: number;
  readonly signal: AbortSignal;
}

const STDERR_BYTES = 4096;
const STDERR_LINES = 20;

async function readAnswer(file: string): Promise<string | null> {
  const answer = await readBounded(file, LIMITS.queryResponseBytes);
  if (answer === 'too large') {
    throw new PlatformError('QUERY_FAILED', `The bot's answer is larger than ${LIMITS.queryResponseBytes} bytes`, {
      hint: 'Let the handler return less, e.g. in pages.',
    });
  }
  return typeof answer === 'string' || answer.text.trim() === '' ? null : answer.text;
}

/** The end of what a unit wrote to stderr, masked. */
async function lastLines(unit: Unit, mask: (text: string) => string): Promise<string[]> {
  const path = unit.outputs.find((output) => output.stream === 'stderr')?.path;
  const handle = path === undefined ? 'missing' : await openStrangers(path);
  if (typeof handle === 'string') return [];
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - STDERR_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(STDERR_BYTES), 0, STDERR_BYTES, from);
    const lines = buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n');
    // The first line of a cut is a part of one: a masked secret needs the whole.
    const whole = from > 0 ? lines.slice(1) : lines;
    return mask(whole.slice(-STDERR_LINES).join('\n'))
      .split('\n')
      .filter((line) => line !== '');
  } finally {
    await handle.close();
  }
}

function describe(exit: UnitExit): string {
  if (exit.limit !== undefined) return `${explainLimit(exit.limit).what} and was ended`;
  if (exit.signal !== null) return `was ended by ${exit.signal}`;
  return exit.exitCode === null ? 'ended' : `ended with exit code ${exit.exitCode}`;
}

/** What to do about a program that ended without an answer. */
function nextStep(exit: UnitExit, stderr: readonly string[]): string {
  if (exit.limit !== undefined) return explainLimit(exit.limit).hint;
  if (exit.exitCode === 0) return 'Answer through the SDK: query.handler and query.run.';
  const last = stderr.at(-1);
  if (last !== undefined) return `Correct what its last line on stderr names: ${last}`;
  return 'It wrote nothing to stderr: run `platform dev --query <path>` in the project to see where it ends.';
}

async function judge(run: QueryRun, unit: Unit, exit: UnitExit, path: string): Promise<unknown> {
  const text = await readAnswer(unit.queryResultFile);
  if (text !== null) return openEnvelope({ status: null, text }, path, run.mask);
  const stderr = await lastLines(unit, run.mask);
  const details = { exit_code: exit.exitCode, signal: exit.signal, stderr };
  throw new PlatformError('QUERY_FAILED', `The bot's query program ${describe(exit)} without an answer`, {
    hint: nextStep(exit, stderr),
    details,
  });
}

function timedOut(timeoutMs: number): PlatformError {
  const seconds = Math.round(timeoutMs / 100) / 10;
  return new PlatformError('QUERY_TIMEOUT', `The bot's query program did not finish within ${seconds} s`, {
    hint: 'Make the handler quicker, or ask with a longer timeout_sec.',
  });
}

function endedEarly(): PlatformError {
  return new PlatformError('BOT_NOT_RUNNING', 'The query was ended: its bot is deleted, or the host is stopping');
}

/** Resolves to what `work` gives, within the limit; else the unit is ended and this throws. */
async function within<T>(limit: AnswerLimit, unit: Unit, work: Promise<T>): Promise<T> {
  const { signal } = limit;
  const cut = Promise.withResolvers<PlatformError>();
  const end = (): void => cut.resolve(endedEarly());
  const timer = setTimeout(() => cut.resolve(timedOut(limit.ms)), limit.ms);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const result = await Promise.race([work.then((value) => ({ value })), cut.promise]);
    if (!(result instanceof PlatformError)) return result.value;
    await unit.stop(0);
    throw result;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/**
 * Starts the query program for one query and reads its answer (wire.md section 5). The program and its run folder are
 * gone when this settles. Throws QUERY_TIMEOUT, QUERY_FAILED, QUERY_PATH_NOT_FOUND or what the engine throws.
 */
export async function runQuery(run: QueryRun, question: Question, limit: AnswerLimit): Promise<unknown> {
  const { path, params } = question;
  const variables = { QUERY_PATH: path, QUERY_PARAMS: paramsJson(params), ...paramVariables(params) };
  const spec = { ...run.spec, queryRun: true, env: { ...run.spec.env, ...variables } };
  try {
    if (limit.signal.aborted) throw endedEarly();
    await mkdir(spec.runDir, { recursive: true, mode: 0o700 });
    const unit = await run.engine.start(spec, () => undefined);
    const exit = await within(limit, unit, unit.exited);
    return await judge(run, unit, exit, path);
  } finally {
    await removeTree(spec.runDir);
  }
}

/**
 * Asks a program that waits for its question. Its answer counts as soon as it is there: the end of the program is left to
 * the caller. Throws as `runQuery` does.
 */
export async function askWaiting(run: QueryRun, unit: Unit, question: Question, limit: AnswerLimit): Promise<unknown> {
  const { path, params } = question;
  const line = `{"path":${JSON.stringify(path)},"params":${paramsJson(params)}}`;
  const answered = async (): Promise<string | UnitExit> => {
    const said = unit.warm !== null && (await unit.warm.ask(line));
    const text = said ? await readAnswer(unit.queryResultFile) : null;
    return text ?? unit.exited;
  };
  const outcome = await within(limit, unit, answered());
  if (typeof outcome !== 'string') return judge(run, unit, outcome, path);
  return openEnvelope({ status: null, text: outcome }, path, run.mask);
}
