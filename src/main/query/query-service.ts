import { availableParallelism } from 'node:os';
import type { JsonObject } from '../../contract/common.ts';
import { PlatformError } from '../../contract/errors.ts';
import type { QueryPoolInfo } from '../../contract/host.ts';
import type { QueryAnswer } from '../../contract/query.ts';
import { Slots } from '../base/slots.ts';
import { openEnvelope } from './envelope.ts';
import { paramsJson, paramsQuery, paramTexts } from './query-params.ts';
import { checkQueryPath, encodeQueryPath } from './query-path.ts';
import { type AnswerLimit, type QueryRun, type Question, runQuery } from './query-run.ts';
import { NobodyListens, type QueryAddress, QueryServerClient } from './query-server.ts';
import { WarmPool, type WarmPoolOptions } from './warm-pool.ts';

/** What is asked. */
export interface Query {
  /** Handler path as the client sent it. */
  readonly path: string;
  readonly params: JsonObject;
  readonly timeoutMs: number;
}

/** A realtime bot that runs. */
export interface QueryTarget {
  readonly address: QueryAddress;
  /** The custom bot has `entrypoints.query`. */
  readonly hasQueryEntry: boolean;
  readonly mask: (text: string) => string;
}

/** Asks bots (architecture.md, decision 9). Both ways check the path and give the handler's own JSON. */
export interface QueryService {
  /** Throws QUERY_PATH_NOT_FOUND, QUERY_FAILED, QUERY_TIMEOUT, BOT_NOT_RUNNING (nobody serves) or INVALID_REQUEST. */
  realtime(target: QueryTarget, query: Query): Promise<QueryAnswer>;
  /** As `realtime`, and RATE_LIMITED when too many query runs wait already. */
  run(run: QueryRun, query: Query): Promise<QueryAnswer>;
  /**
   * Ends the query runs of a bot, and what waits for its next query; those who wait for an answer get BOT_NOT_RUNNING.
   * Resolves when their programs are gone.
   */
  endRuns(botId: string): Promise<void>;
  /** The bot's state has changed, e.g. by a run: what waits for its next query is started again. */
  refresh(botId: string): void;
  /** Ends what waits for the next query of a bot, e.g. because it is configured anew. */
  forget(botId: string): void;
  /** The programs that wait for their question. */
  waiting(): QueryPoolInfo;
  /** Closes kept connections and ends query runs; resolves when their programs are gone. */
  close(): Promise<void>;
}

export interface QueryServiceOptions {
  /** Query runs at a time; each is a process of its own. */
  readonly maxRuns?: number;
  /** Query runs that may wait for their turn. */
  readonly maxWaiting?: number;
  /** Programs that are started before their question is known. */
  readonly warm?: WarmPoolOptions;
}

interface Asked {
  readonly result: unknown;
  readonly warm: boolean;
}

function nobodyListens(hasQueryEntry: boolean): PlatformError {
  if (hasQueryEntry) {
    return new PlatformError('BOT_NOT_RUNNING', "The bot's query program is not listening", {
      hint: "It may still be starting, or it has failed: look into the bot's log. Then ask again.",
      retryAfter: 1,
    });
  }
  return new PlatformError('BOT_NOT_RUNNING', 'The bot does not answer queries', {
    hint: 'It has no entrypoints.query and does not listen on QUERY_PORT itself. Add a query program to bot-config.yaml.',
  });
}

/** Times are measured from the moment a query is accepted, waiting for a turn included. */
export function createQueryService(options: QueryServiceOptions = {}): QueryService {
  const client = new QueryServerClient();
  const slots = new Slots(options.maxRuns ?? Math.max(4, 2 * availableParallelism()));
  const maxWaiting = options.maxWaiting ?? 100;
  const pool = new WarmPool(options.warm);
  const running = new Set<{ botId: string; end: () => void; done: PromiseWithResolvers<void> }>();
  let closed = false;

  async function answer(mode: QueryAnswer['mode'], work: () => Promise<Asked>): Promise<QueryAnswer> {
    const started = performance.now();
    const { result, warm } = await work();
    const duration = Math.round((performance.now() - started) * 1000) / 1000;
    return { result, duration_ms: duration, mode, ...(warm ? { warm } : {}) };
  }

  async function askServer(target: QueryTarget, query: Query): Promise<Asked> {
    const path = checkQueryPath(query.path);
    const texts = paramTexts(query.params);
    const text = paramsQuery(texts);
    const encoded = encodeQueryPath(path);
    const ask = {
      target: text === '' ? encoded : `${encoded}?${text}`,
      body: paramsJson(texts),
      timeoutMs: query.timeoutMs,
    };
    try {
      return { result: openEnvelope(await client.send(target.address, ask), path, target.mask), warm: false };
    } catch (error) {
      if (error instanceof NobodyListens) throw nobodyListens(target.hasQueryEntry);
      throw error;
    }
  }

  async function askProgram(run: QueryRun, question: Question, limit: AnswerLimit): Promise<Asked> {
    const spare = await pool.take(run);
    if (spare === null) return { result: await runQuery(run, question, limit), warm: false };
    try {
      return { result: await spare.ask(run, question, limit), warm: true };
    } finally {
      pool.finished(spare);
    }
  }

  async function askRun(run: QueryRun, query: Query): Promise<Asked> {
    const question = { path: checkQueryPath(query.path), params: paramTexts(query.params) };
    if (slots.waiting >= maxWaiting) {
      throw new PlatformError('RATE_LIMITED', 'Too many queries are waiting for a program of their own', {
        retryAfter: 2,
      });
    }
    const deadline = performance.now() + query.timeoutMs;
    if (!(await slots.take(AbortSignal.timeout(query.timeoutMs)))) {
      throw new PlatformError('QUERY_TIMEOUT', `The query waited ${query.timeoutMs / 1000} s for its turn`, {
        hint: 'Other queries are running. Ask again, or with a longer timeout_sec.',
      });
    }
    const ending = new AbortController();
    const going = { botId: run.spec.botId, end: () => ending.abort(), done: Promise.withResolvers<void>() };
    running.add(going);
    try {
      if (closed) throw new PlatformError('BOT_NOT_RUNNING', 'The host is stopping');
      if (run.isThere?.() === false) throw new PlatformError('BOT_NOT_FOUND');
      const ms = Math.max(1, deadline - performance.now());
      return await askProgram(run, question, { ms, signal: ending.signal });
    } finally {
      pool.refill(run);
      slots.release();
      running.delete(going);
      going.done.resolve();
    }
  }

  return {
    realtime: (target, query) => answer('server', () => askServer(target, query)),
    run: (run, query) => answer('run', () => askRun(run, query)),
    async endRuns(botId) {
      const own = [...running].filter((going) => going.botId === botId);
      for (const going of own) going.end();
      await Promise.all([pool.drop(botId), ...own.map((going) => going.done.promise)]);
    },
    refresh: (botId) => pool.refresh(botId),
    // It reports what fails.
    forget: (botId) => void pool.drop(botId),
    waiting: () => pool.info(),
    async close() {
      closed = true;
      client.close();
      for (const going of running) going.end();
      await Promise.all([pool.close(), ...[...running].map((going) => going.done.promise)]);
    },
  };
}
