import { availableParallelism } from 'node:os';
import type { Duplex } from 'node:stream';
import type { JsonObject } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { QueryPoolInfo } from '../../../contract/host.ts';
import type { QueryAnswer } from '../../../contract/query.ts';
import { settlesWithin } from '../../../node/bounded-wait.ts';
import { Semaphore } from '../../../node/semaphore.ts';
import { type Engine, type Listening, NobodyListens } from '../engine/engine.ts';
import { Deadline, type Late } from './deadline.ts';
import { openEnvelope } from './envelope.ts';
import { paramsJson, paramsQuery, paramTexts } from './query-params.ts';
import { checkQueryPath, encodeQueryPath } from './query-path.ts';
import { prepareQuery, type QueryRun, type Question, runQuery } from './query-run.ts';
import { QueryServerClient } from './query-server-client.ts';
import { WarmPool, type WarmPoolOptions } from './warm-pool.ts';

/** A query. */
export interface Query {
  /** Handler path as the client sent it. */
  readonly path: string;
  readonly params: JsonObject;
  readonly timeoutMs: number;
}

/** A running realtime bot. */
export interface QueryTarget {
  /** As `Unit.connectQuery`. */
  readonly connect: () => Promise<Duplex>;
  /** As `Unit.refreshState`. */
  readonly refreshState: () => Promise<void>;
  /** The token that its server demands in X-Query-Token; null for none. */
  readonly token: string | null;
  /** Identity of the serving program; another or restarted program is another object. */
  readonly program: object;
  /** Returns the addresses on which the programs of the run listen; null if unknown. */
  readonly listening: () => Promise<Listening | null>;
  /** True if the custom bot has `entrypoints.query`. */
  readonly hasQueryEntry: boolean;
  readonly mask: (text: string) => string;
}

/** Sends queries to bots. Both ways check the path and return the handler's own JSON. */
export interface QueryService {
  /**
   * Throws QUERY_PATH_NOT_FOUND, QUERY_FAILED, QUERY_TIMEOUT, BOT_NOT_RUNNING (no server listens) or INVALID_REQUEST.
   */
  realtime(target: QueryTarget, query: Query): Promise<QueryAnswer>;
  /** As `realtime`, and RATE_LIMITED when too many query runs wait already. */
  run(run: QueryRun, query: Query): Promise<QueryAnswer>;
  /**
   * Ends the query runs of a bot and its waiting program; callers get BOT_NOT_RUNNING. Resolves when their programs are
   * gone, or after `endMs` when an engine does not answer; leftovers are reported.
   */
  endRuns(botId: string): Promise<void>;
  /** Tells that a program of the bot starts: none waits for its next query until `refresh`. */
  atWork(botId: string): void;
  /** Tells that the bot's state has changed, e.g. by a run: its waiting program is replaced. */
  refresh(botId: string): void;
  /** Ends the waiting program of a bot, e.g. after a change of its config. */
  forget(botId: string): void;
  /** Returns the programs that wait for their question. */
  waiting(): QueryPoolInfo;
  /** Closes kept connections and ends query runs; resolves as `endRuns` does. */
  close(): Promise<void>;
}

export interface QueryServiceOptions {
  /** Limit of simultaneous query runs on one engine; each is a process of its own. */
  readonly maxRuns?: number;
  /** Limit of query runs on one engine that wait for it to get ready, or for their turn. */
  readonly maxWaiting?: number;
  /** Programs that are started before their question is known. */
  readonly warm?: WarmPoolOptions;
  /** Time limit for query programs to end, in ms: an engine may not answer. */
  readonly endMs?: number;
  /** Receives errors of background work. */
  readonly report?: (where: string, error: unknown) => void;
}

const USUAL_RUNS = Math.max(4, 2 * availableParallelism());

/** The queries to programs of one engine. */
interface Lane {
  readonly queries: Semaphore;
  preparing: number;
}

/** A running query; `done` resolves once its program and files are gone. */
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

const stateTookTooLong: Late = (ms) =>
  new PlatformError('QUERY_TIMEOUT', `The bot's state was not copied for its query program within ${ms / 1000} s`, {
    hint: 'The disk of the data folder is slow or busy. Ask again, with a longer timeout_sec, or keep less in the state.',
  });

function endedEarly(): PlatformError {
  return new PlatformError('BOT_NOT_RUNNING', 'The query was ended: its bot is deleted, or the host is stopping');
}

interface Asked {
  readonly result: unknown;
  readonly warm: boolean;
}

const OPEN = new Set(['0.0.0.0', '::']);

/**
 * Returns the error for a program that listens at another address; null if it does not listen at all, or has just
 * begun.
 */
function elsewhere(listening: Listening | null): PlatformError | null {
  const { at = [], queries = null } = listening ?? {};
  if (queries === null || at.length === 0 || at.some(({ port }) => port === queries.port)) return null;
  const places = at.map(({ host, port }) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`));
  const open = at.some(({ host }) => OPEN.has(host)) ? ', which is open to the network of this machine' : '';
  return new PlatformError(
    'QUERY_FAILED',
    `The bot's program listens on ${places.join(' and ')}${open}, and not on QUERY_PORT (${queries.host}:${queries.port}), where the host sends queries`,
    {
      hint: 'Let its query server listen on 127.0.0.1 and the port in QUERY_PORT. An SDK of another system with a port of its own needs a container (options.engine).',
      details: { listening: places },
    },
  );
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

/** Creates the query service. Times are measured from the acceptance of a query, including the wait for a turn. */
export function createQueryService(options: QueryServiceOptions = {}): QueryService {
  const client = new QueryServerClient();
  const { maxWaiting = 100, endMs = 15_000 } = options;
  const report =
    options.report ?? options.warm?.report ?? ((where, error) => process.emitWarning(`${where}: ${String(error)}`));
  const pool = new WarmPool({ report, ...options.warm });
  /** Lanes by engine, so that a hanging engine blocks no query on another. */
  const lanes = new Map<string, Lane>();
  const running = new Set<Going>();
  /** Programs that certainly listen at their address. */
  const serving = new WeakSet<object>();
  let closed = false;

  async function answer(mode: QueryAnswer['mode'], work: () => Promise<Asked>): Promise<QueryAnswer> {
    const started = performance.now();
    const { result, warm } = await work();
    const duration = Math.round((performance.now() - started) * 1000) / 1000;
    return { result, duration_ms: duration, mode, ...(warm ? { warm } : {}) };
  }

  /** Throws unless the bot itself may be listening at its port: any other program there would get the bot's token. */
  async function checkServes(target: QueryTarget): Promise<void> {
    if (serving.has(target.program)) return;
    const listening = await target.listening();
    if (listening === null) return;
    const { at, queries } = listening;
    if (!at.some(({ host, port }) => port === queries?.port && (host === queries.host || OPEN.has(host))))
      throw elsewhere(listening) ?? nobodyListens(target.hasQueryEntry);
    serving.add(target.program);
  }

  async function askServer(target: QueryTarget, query: Query): Promise<Asked> {
    const begun = performance.now();
    const path = checkQueryPath(query.path);
    const texts = paramTexts(query.params);
    const text = paramsQuery(texts);
    const encoded = encodeQueryPath(path);
    const ask = {
      target: text === '' ? encoded : `${encoded}?${text}`,
      body: paramsJson(texts),
      token: target.token,
      timeoutMs: query.timeoutMs,
      begun,
    };
    await checkServes(target);
    const fresh = target.refreshState();
    if (!(await settlesWithin(query.timeoutMs, fresh))) throw stateTookTooLong(query.timeoutMs);
    try {
      return { result: openEnvelope(await client.send(target, ask), path, target.mask), warm: false };
    } catch (error) {
      if (!(error instanceof NobodyListens)) throw error;
      serving.delete(target.program);
      throw elsewhere(await target.listening()) ?? nobodyListens(target.hasQueryEntry);
    }
  }

  async function askProgram(run: QueryRun, question: Question, deadline: Deadline): Promise<Asked> {
    const prewarmed = await pool.take(run);
    if (prewarmed === null) return { result: await runQuery(run, question, deadline), warm: false };
    let answered = false;
    try {
      const result = await prewarmed.ask(run, question, deadline);
      answered = true;
      return { result, warm: true };
    } finally {
      // A program that failed its query ends by itself as well.
      pool.finished(prewarmed, answered || !deadline.signal.aborted);
    }
  }

  function laneOf({ name }: Engine): Lane {
    const lane = lanes.get(name) ?? { queries: new Semaphore(options.maxRuns ?? USUAL_RUNS), preparing: 0 };
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
    if (!(await lane.queries.take(deadline.signal))) throw deadline.signal.reason;
    try {
      if (run.isThere?.() === false) throw new PlatformError('BOT_NOT_FOUND');
      return await askProgram(run, question, deadline);
    } finally {
      pool.refill(run);
      lane.queries.release();
    }
  }

  async function askRun(run: QueryRun, query: Query): Promise<Asked> {
    const question = { path: checkQueryPath(query.path), params: paramTexts(query.params) };
    const { botId } = run.spec;
    if (closed) throw new PlatformError('BOT_NOT_RUNNING', 'The host is stopping');
    const lane = laneOf(run.engine);
    if (lane.queries.waiting + lane.preparing >= maxWaiting) {
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
      // The caller has its answer by now; later faults concern no caller.
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

  /** Ends the running queries of one bot or of all. Programs of a silent engine end when it responds. */
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
    // The pool reports its own failures.
    forget: (botId) => void pool.drop(botId),
    waiting: () => pool.info(),
    async close() {
      closed = true;
      client.close();
      await end(pool.close());
    },
  };
}
