import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { PlatformError } from '../contract/errors.ts';
import { type DevRun, programEnd, readOutputLine, startEntry } from '../project/local-run.ts';
import { formatDuration } from '../shared/format-quantity.ts';
import { isJsonObject } from '../shared/json.ts';
import type { Context } from './command.ts';
import { Interrupted } from './interrupted.ts';
import { logLine, metricLine } from './show-bot-output.ts';
import { harmless, printable } from './terminal-text.ts';

/** Shows a line as the platform would. */
function showLine({ out }: Context, text: string): void {
  const ts = new Date().toISOString();
  const line = readOutputLine(text);
  if ('metric' in line) out.line(metricLine({ ts, ...line.metric }, out.colours));
  else out.line(logLine({ ts, level: line.level, source: 'stdout', message: text, fields: null }, out.colours));
}

/** Runs the bot with live output until it ends or Ctrl-C; resolves to its exit code. */
export async function runBot(context: Context, dev: DevRun): Promise<number> {
  const { out, signal } = context;
  const { bot } = dev.project.config.entrypoints;
  const result = join(dev.workDir, 'result.json');
  rmSync(result, { force: true });
  const begun = performance.now();
  const child = startEntry(dev, bot);
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) {
      createInterface({ input: stream }).on('line', (line) =>
        out.json ? out.raw(`${line}\n`) : showLine(context, line),
      );
    }
  }
  const code = await programEnd(child, bot, signal);
  if (existsSync(result)) out.note(`result: ${printable(readFileSync(result, 'utf8').trimEnd())}`);
  const took = formatDuration(performance.now() - begun);
  if (signal.aborted) {
    if (!out.json) out.note(`Stopped after ${took}.`);
    return 0;
  }
  out.note(code === 0 ? `The bot has ended after ${took}.` : `The bot ended with exit code ${code} after ${took}.`);
  return code;
}

/** A query; `timeoutSec` limits its program. */
export interface DevQuery {
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly timeoutSec: number;
}

/** Copies a program's output to stderr, harmless for a terminal. */
function passOn(stream: Readable | null): void {
  const terminal = process.stderr.isTTY === true;
  if (terminal) stream?.setEncoding('utf8');
  stream?.on('data', (part) => process.stderr.write(terminal ? harmless(String(part)) : part));
}

function readEnvelope(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new PlatformError('QUERY_FAILED', `The answer of the query program is not JSON: ${error.message}`, {
      hint: 'Write {"status":"ok","data":…} to QUERY_RESULT_FILE, as the SDK does.',
    });
  }
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
  const child = startEntry(dev, query, {
    QUERY_PATH: path.startsWith('/') ? path : `/${path}`,
    QUERY_PARAMS: JSON.stringify(params),
    QUERY_RESULT_FILE: file,
  });
  for (const stream of [child.stdout, child.stderr]) passOn(stream);
  const limit = AbortSignal.timeout(timeoutSec * 1000);
  const code = await programEnd(child, query, AbortSignal.any([context.signal, limit]));
  if (context.signal.aborted) throw new Interrupted();
  if (limit.aborted) {
    throw new PlatformError('QUERY_TIMEOUT', `The query program did not finish within ${timeoutSec} s`, {
      hint: 'Give it longer with --timeout SEC, or let its handler answer sooner.',
    });
  }
  const envelope = existsSync(file) ? readEnvelope(readFileSync(file, 'utf8')) : null;
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
