import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PlatformError } from '../../contract/errors.ts';
import type { Output } from '../../contract/operations.ts';
import { isJsonObject } from '../../shared/json.ts';
import { type Check, subject } from '../check-result.ts';
import type { Trial } from './trial.ts';

const queries = subject('queries', 'Queries', 'People and assistants read the bot through them.');

/**
 * Number of requests, and the time in ms above which an answer is slow, for a server and for programs that each request starts.
 */
const BY_SERVER = { asked: 20, slow: 1000 };
const BY_RUN = { asked: 5, slow: 5000 };
/** A query program starts after its bot. Time in ms for which one that does not listen yet is asked again. */
const LATEST_START_MS = 10_000;
/** Paths that every SDK answers by itself. */
const BUILT_IN = new Set(['/health', '/info']);

/** What a trial asks a bot. */
export interface Asking {
  /** The path to ask; null: those that the bot names. */
  readonly path: string | null;
  readonly timeoutSec: number;
}

type Ask = (path: string) => Promise<Output<'bots.query'>>;

/** Asks a bot of the trial by its host. */
export const asker =
  ({ client }: Trial, botId: string, { timeoutSec }: Asking): Ask =>
  (path) =>
    client.call('bots.query', { bot_id: botId, path, params: {}, timeout_sec: timeoutSec });

/** Asks again while the host answers that the query program may still be starting, which it says with a time to wait. */
async function askOnceUp(ask: Ask, path: string, signal: AbortSignal): ReturnType<Ask> {
  const end = performance.now() + LATEST_START_MS;
  for (;;) {
    try {
      return await ask(path);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== 'BOT_NOT_RUNNING') throw error;
      if (error.retryAfter === undefined || performance.now() >= end) throw error;
      await wait(error.retryAfter * 1000, undefined, { signal });
    }
  }
}

/** The paths that a bot answers, as its SDK tells; `/status` where it does not. */
export async function pathsOf(ask: Ask, path: string | null): Promise<string[]> {
  if (path !== null) return [path];
  try {
    const { result } = await ask('/info');
    const listed = isJsonObject(result) && Array.isArray(result.available_queries) ? result.available_queries : [];
    const own = listed.filter((one): one is string => typeof one === 'string' && !BUILT_IN.has(one));
    return own.length > 0 ? own : ['/health'];
  } catch (error) {
    // A program without an SDK need not know /info.
    if (error instanceof PlatformError && (error.code === 'QUERY_PATH_NOT_FOUND' || error.code === 'QUERY_FAILED'))
      return ['/status'];
    throw error;
  }
}

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? 0;

/** True if the server of a running bot answers a program that does not know the token of its host. */
async function isOpen({ client, dataDir, signal }: Trial, botId: string): Promise<boolean> {
  const { run_id } = await client.call('bots.get', { bot_id: botId });
  const file = join(dataDir, 'bots', botId, 'runs', run_id ?? '', 'query.port');
  if (!existsSync(file)) return false;
  const port = readFileSync(file, 'utf8').trim();
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}/health`, { signal });
    return status !== 401 && status !== 403;
  } catch (error) {
    // The bot ended meanwhile, which other checks report.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** Asks the bot on the host, as people do, and tells how long answers take. */
export async function checkQueryAnswers(trial: Trial, botId: string, asking: Asking): Promise<Check> {
  const { project } = trial;
  const realtime = project.config.type === 'realtime';
  if (project.config.entrypoints.query === undefined && !realtime) {
    return queries.spare('none: there is no entrypoints.query', 'Name a query program in bot-config.yaml.');
  }
  const { asked, slow } = realtime ? BY_SERVER : BY_RUN;
  let answers = 0;
  const send = asker(trial, botId, asking);
  const ask: Ask = async (path) => {
    const answer = answers === 0 ? await askOnceUp(send, path, trial.signal) : await send(path);
    answers += 1;
    return answer;
  };
  try {
    const paths = await pathsOf(ask, asking.path);
    const times: number[] = [];
    for (let number = 0; number < Math.max(asked, paths.length); number++) {
      const path = paths[number % paths.length] ?? '/status';
      const { duration_ms } = await ask(path);
      times.push(duration_ms);
    }
    times.sort((a, b) => a - b);
    const text = `${paths.join(', ')}: p50 ${at(times, 0.5).toFixed(1)} ms, p95 ${at(times, 0.95).toFixed(1)} ms of ${times.length}`;
    if (realtime && (await isOpen(trial, botId)))
      return queries.note(
        `${text}. Its query port answers every program of this machine, without the token of the host`,
        'Serve queries through the SDK of this release, recompiled where it is compiled; or run the bot in a container.',
      );
    return at(times, 0.95) > slow
      ? queries.note(text, 'Let handlers read what the bot has prepared, in its state.')
      : queries.ok(text);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const isSilent = answers === 0 ? error.code !== 'QUERY_TIMEOUT' : error.code === 'QUERY_PATH_NOT_FOUND';
    if (isSilent && project.config.entrypoints.query === undefined)
      return queries.spare('none: nothing answers, and there is no entrypoints.query');
    return queries.fault(
      `${error.code}: ${error.message}`,
      error.hint ?? 'Try it with `platform dev --query /status`.',
    );
  }
}
