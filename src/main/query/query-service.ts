import { availableParallelism } from 'node:os';
import type { JsonObject } from '../../contract/common.ts';
import { PlatformError } from '../../contract/errors.ts';
import type { QueryPoolInfo } from '../../contract/host.ts';
import type { QueryAnswer } from '../../contract/query.ts';
import { settlesWithin } from '../base/pause.ts';
import { Slots } from '../base/slots.ts';
import type { Engine } from '../engine/engine.ts';
import { Deadline, type Late } from './deadline.ts';
import { openEnvelope } from './envelope.ts';
import { paramsJson, paramsQuery, paramTexts } from './query-params.ts';
import { checkQueryPath, encodeQueryPath } from './query-path.ts';
import { prepareQuery, type QueryRun, type Question, runQuery } from './query-run.ts';
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
   * Resolves when their programs are gone, or after `endMs` when an engine does not answer; what is left is reported.
   */
  endRuns(botId: string): Promise<void>;
  /** A program of the bot begins to run: nothing waits for its next query until `refresh`. */
  atWork(botId: string): void;
  /** The bot's state has changed, e.g. by a run: what waits for its next query is started again. */
  refresh(botId: string): void;
  /** Ends what waits for the next query of a bot, e.g. because it is configured anew. */
  forget(botId: string): void;
  /** The programs that wait for their question. */
  waiting(): QueryPoolInfo;
  /** Closes kept connections and ends query runs; resolves as `endRuns` does. */
  close(): Promise<void>;
}

export interface QueryServiceOptions {
  /** Query runs at a time on one engine; each is a process of its own. */
  readonly maxRuns?: number;
  /** Query runs on one engine that may wait for it to get ready, or for their turn. */
  readonly maxWaiting?: number;
  /** Programs that are started before their question is known. */
  readonly warm?: WarmPoolOptions;
  /** How long the end of query programs is waited for, in ms: an engine may not answer. */
  readonly endMs?: number;
  /** Told about faults in the background. */
  readonly report?: (where: string, error: unknown) => void;
}

const USUAL_RUNS = Math.max(4, 2 * availableParallelism());

/** The queries to programs of one engine. */
interface Lane {
  readonly slots: Slots;
  preparing: number;
}

/** A query that goes on; `done` once nothing of it is left. */
interface Going {
  readonly botId: string;
  readonly deadline: Deadline;
  readonly done: Promise<void>;
}

const ignore = (): void => undefined;

const noTurn: Late = (ms) =>
  new PlatformError('QUERY_TIMEOUT', `The query waited ${ms / 1000} s for its turn`, {
    hint: 'Other queries are running. Ask again, or with a longer timeout_sec.',
  });

function endedEarly(): PlatformError {
  return new PlatformError('BOT_NOT_RUNNING', 'The query was ended: its bot is deleted, or the host is stopping');
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
  const { maxWaiting = 100, endMs = 15_000 } = options;
  const report =
    options.report ?? options.warm?.report ?? ((where, error) => process.emitWarning(`${where}: ${String(error)}`));
  const pool = new WarmPool({ report, ...options.warm });
  /** By engine: one that hangs keeps no query from a program on another. */
  const lanes = new Map<string, Lane>();
  const running = new Set<Going>();
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

  async function askProgram(run: QueryRun, question: Question, deadline: Deadline): Promise<Asked> {
    const spare = await pool.take(run);
    if (spare === null) return { result: await runQuery(run, question, deadline), warm: false };
    let answered = false;
    try {
      const result = await spare.ask(run, question, deadline);
      answered = true;
      return { result, warm: true };
    } finally {
      // One that failed its query ends by itself as well.
      pool.finished(spare, answered || !deadline.signal.aborted);
    }
  }

  function laneOf({ name }: Engine): Lane {
    const lane = lanes.get(name) ?? { slots: new Slots(options.maxRuns ?? USUAL_RUNS), preparing: 0 };
    lanes.set(name, lane);
    return lane;
  }

  /** Settles once nothing of the query is left, which may be long after its deadline. */
  async function serve(lane: Lane, run: QueryRun, question: Question, deadline: Deadline): Promise<Asked> {
    lane.preparing += 1;
    try {
      await prepareQuery(run, deadline);
    } finally {
      lane.preparing -= 1;
    }
    deadline.next(noTurn);
    if (!(await lane.slots.take(deadline.signal))) throw deadline.signal.reason;
    try {
      if (run.isThere?.() === false) throw new PlatformError('BOT_NOT_FOUND');
      return await askProgram(run, question, deadline);
    } finally {
      pool.refill(run);
      lane.slots.release();
    }
  }

  async function askRun(run: QueryRun, query: Query): Promise<Asked> {
    const question = { path: checkQueryPath(query.path), params: paramTexts(query.params) };
    const { botId } = run.spec;
    if (closed) throw new PlatformError('BOT_NOT_RUNNING', 'The host is stopping');
    const lane = laneOf(run.engine);
    if (lane.slots.waiting + lane.preparing >= maxWaiting) {
      throw new PlatformError('RATE_LIMITED', 'Too many queries are waiting for a program of their own', {
        retryAfter: 2,
      });
    }
    const deadline = new Deadline(query.timeoutMs, noTurn);
    const work = serve(lane, run, question, deadline);
    const going: Going = { botId, deadline, done: work.then(ignore, ignore) };
    running.add(going);
    void going.done.then(() => running.delete(going));
    try {
      return await deadline.within(work);
    } catch (error) {
      // What comes after the caller was told is told to nobody else.
      if (deadline.signal.aborted) {
        work.catch((later: unknown) => {
          if (later !== deadline.signal.reason) report(`the rest of a query of ${botId}`, later);
        });
      }
      throw error;
    } finally {
      deadline.clear();
    }
  }

  /** Ends what goes on, of one bot or of all; what an engine does not end by then is ended when it answers. */
  async function end(ending: Promise<void>, botId?: string): Promise<void> {
    const isMeant = (going: Going): boolean => botId === undefined || going.botId === botId;
    const own = [...running].filter(isMeant);
    for (const { deadline } of own) deadline.end(endedEarly());
    if (await settlesWithin(endMs, Promise.all([ending, ...own.map(({ done }) => done)]))) return;
    const left = [...running].filter(isMeant).length + pool.left(botId);
    const text = `${left} not ended after ${endMs / 1000} s: their engine does not answer, and ends them when it does`;
    report(`query programs${botId === undefined ? '' : ` of ${botId}`}`, new Error(text));
  }

  return {
    realtime: (target, query) => answer('server', () => askServer(target, query)),
    run: (run, query) => answer('run', () => askRun(run, query)),
    endRuns: (botId) => end(pool.drop(botId), botId),
    atWork: (botId) => pool.atWork(botId),
    refresh: (botId) => pool.refresh(botId),
    // It reports what fails.
    forget: (botId) => void pool.drop(botId),
    waiting: () => pool.info(),
    async close() {
      closed = true;
      client.close();
      await end(pool.close());
    },
  };
}
