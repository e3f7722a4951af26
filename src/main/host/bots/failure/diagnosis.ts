import { toTimestamp, toTimestampOrNull } from '../../../../contract/common.ts';
import { PlatformError } from '../../../../contract/errors.ts';
import type { Failure, RunFailures } from '../../../../contract/failure.ts';
import { keepsCrashing, LOOP } from '../../../../shared/health.ts';
import type { BotRow } from '../../control/bot-store.ts';
import type { EventStore } from '../../control/event-store.ts';
import type { RunRow, RunStore } from '../../control/run-store.ts';
import { limitIn } from '../../engine/limit-words.ts';
import { sayingOf } from '../../logs/message-without-details.ts';
import type { Telemetry } from '../../logs/telemetry-types.ts';
import { STEADY_MS } from '../backoff.ts';
import type { BotCodeSource } from '../bot-code.ts';
import type { LiveRun } from '../live-run.ts';
import { reason } from '../reasons.ts';
import { changesBetween } from './changes-since-success.ts';
import { classify, isFailure } from './classify.ts';
import type { FailedRun, FailureLogLine, Verdict } from './failure-types.ts';
import { failuresInARow, isOver } from './failures-in-a-row.ts';

export interface DiagnosisDeps {
  readonly runs: Pick<RunStore, 'get' | 'list' | 'unitsOf'>;
  readonly events: Pick<EventStore, 'changesSince'>;
  readonly telemetry: Pick<Telemetry, 'logs'>;
  readonly codes: BotCodeSource;
  readonly supervisor: { liveRuns(botId: string): readonly LiveRun[] };
  readonly now: () => number;
}

/** Results are read with the runs and may be large: a healthy bot costs only a few rows. */
const RUNS_FOR_STATUS = 5;
const RUNS_LOOKED_AT = 50;
const EVENTS_LOOKED_AT = 100;
/** Failed runs whose lines are read to find causes. */
const RUNS_EXPLAINED = 20;
const LINES = 200;
const ERROR_LINES = 20;
const LINE_CHARS = 500;
/** Number of ended runs whose verdicts are cached, because lists ask repeatedly. */
const MOST_REMEMBERED = 200;
/** Time after the end of a run within which all its lines are stored, in ms. */
const SETTLED_MS = 5000;

/** Cause of one run's failure, without its history. */
type Told = Pick<Failure, 'code' | 'message' | 'step' | 'evidence' | 'cause' | 'next'>;

/** Finds the cause of a failed run or of an unhealthy bot: gathers stored facts and applies the rules (classify.ts). */
export class Diagnosis {
  readonly #deps: DiagnosisDeps;
  /** Cached verdicts by run and last update of the bot; the oldest entry comes first. */
  readonly #remembered = new Map<string, Told | null>();

  constructor(deps: DiagnosisDeps) {
    this.#deps = deps;
  }

  /** The failure of a bot's last run; null while it is well. */
  async ofBot(bot: BotRow): Promise<Failure | null> {
    const [last] = this.#deps.runs.list(bot.botId, RUNS_FOR_STATUS).filter(isOver);
    const [live] = this.#deps.supervisor.liveRuns(bot.botId);
    const proven = live !== undefined && bot.type === 'realtime' && this.#isProven(bot, live);
    if (last !== undefined && isFailure(last) && !proven) {
      const runs = this.#deps.runs.list(bot.botId, RUNS_LOOKED_AT).filter(isOver);
      return this.#explain(bot, runs, bot.type === 'realtime');
    }
    return live === undefined ? null : this.#queryProgram(bot, live);
  }

  /**
   * Returns the cause of one run's failure, or that its end was not observed; null for a successful run. Throws
   * RUN_NOT_FOUND.
   */
  async ofRun(bot: BotRow, runId: string): Promise<Failure | null> {
    const run = this.#deps.runs.get(runId);
    if (run === null || run.botId !== bot.botId) throw new PlatformError('RUN_NOT_FOUND');
    if (!isOver(run) || !(isFailure(run) || run.status === 'lost')) return null;
    const before = this.#deps.runs.list(bot.botId, RUNS_LOOKED_AT, runId).filter(isOver);
    return this.#explain(bot, [run, ...before], false);
  }

  /** Causes of the newest failed runs of a bot, grouped. */
  async failures(bot: BotRow): Promise<RunFailures> {
    const runs = this.#deps.runs.list(bot.botId, RUNS_LOOKED_AT).filter(isOver);
    const failed = runs.filter(isFailure);
    const causes = new Map<string, Cause>();
    for (const run of failed.slice(0, RUNS_EXPLAINED)) {
      const told = await this.#judge(bot, run);
      if (told === null) continue;
      const at = endOf(run);
      const { code, message } = told;
      const key = `${code} ${sayingOf({ message, fields: null }).key}`;
      const known = causes.get(key);
      if (known !== undefined) causes.set(key, { ...known, count: known.count + 1, first_at: at });
      else causes.set(key, { code, message, count: 1, first_at: at, last_at: at, run_id: run.runId });
    }
    const sorted = [...causes.values()].sort((a, b) => b.count - a.count);
    return { bot_id: bot.botId, runs: runs.length, failed: failed.length, causes: sorted };
  }

  /**
   * True for a realtime bot that runs again and has run long enough, or that was started again before it crashed in a
   * loop.
   */
  #isProven(bot: BotRow, live: LiveRun): boolean {
    const isTried = bot.failures === 0 && !keepsCrashing(bot.health);
    return isTried || this.#deps.now() - live.unit.startedAt >= STEADY_MS;
  }

  async #explain(bot: BotRow, runs: readonly RunRow[], mayLoop: boolean): Promise<Failure | null> {
    const [run] = runs;
    if (run === undefined) return null;
    const told = await this.#judge(bot, run);
    if (told === null) return null;
    const { repeats: before, worked, since } = failuresInARow(runs, bot.type);
    // One count for every client: the one in the bot's health.
    const repeats = mayLoop && run.status !== 'stopped' ? Math.max(1, bot.health.failures) : before;
    const events = this.#deps.events.changesSince(bot.botId, worked?.createdAt ?? 0, EVENTS_LOOKED_AT);
    const loop = mayLoop && run.status !== 'stopped' && repeats >= LOOP;
    return {
      ...told,
      ...(loop
        ? {
            code: 'CRASH_LOOP',
            message: `Failed ${repeats} times in a row. The last time: ${told.message}`,
            cause: { code: told.code, message: told.message },
          }
        : {}),
      at: endOf(run),
      run_id: run.runId,
      exit_code: run.exitCode,
      signal: run.signal,
      changes: changesBetween({ worked, failed: run, events, runs: since }),
      last_worked_at: toTimestampOrNull(worked?.endedAt ?? null),
      repeats,
    };
  }

  /** Returns the rules' verdict on one run; reads its lines once, when all of them are stored. */
  async #judge(bot: BotRow, run: RunRow): Promise<Told | null> {
    // A change of the bot may add secrets: the lines are masked with the present ones.
    const key = `${run.runId} ${bot.updatedAt}`;
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    const told = await this.#read(bot, run);
    // While a unit of the run exists, more of its lines may come.
    const isSettled =
      run.endedAt !== null &&
      this.#deps.now() - run.endedAt >= SETTLED_MS &&
      this.#deps.runs.unitsOf(bot.botId).every(({ runId }) => runId !== run.runId);
    if (isSettled) {
      this.#remembered.set(key, told);
      const [oldest] = this.#remembered.keys();
      if (this.#remembered.size > MOST_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    }
    return told;
  }

  async #read(bot: BotRow, run: RunRow): Promise<Told | null> {
    const lines = run.status === 'skipped' ? [] : await this.#lines(bot.botId, run.runId);
    const verdict = classify({
      botId: bot.botId,
      runId: run.runId,
      role: 'bot',
      codeDir: this.#codeDir(bot, run.version),
      status: run.status,
      exitCode: run.exitCode,
      signal: run.signal,
      reason: run.reason,
      durationMs: run.startedAt === null || run.endedAt === null ? null : run.endedAt - run.startedAt,
      memoryMb: bot.options.memory_mb ?? null,
      lines,
    });
    return verdict === null ? null : toFailure(verdict, lines);
  }

  /** Returns the failure of a running bot's query program: the bot works but answers no queries. Null while it works. */
  async #queryProgram(bot: BotRow, { run, queryFailures }: LiveRun): Promise<Failure | null> {
    if (queryFailures === 0) return null;
    const { entries } = await this.#deps.telemetry.logs({ bot_id: bot.botId, run_id: run.runId, limit: LINES });
    const lines = entries
      .filter(({ source, message }) => source === 'query' || isQueryEnd(source, message))
      .flatMap(singleLines);
    const end = lines.findLast(({ source, message }) => isQueryEnd(source, message));
    if (end === undefined || this.#deps.now() - Date.parse(end.ts) >= STEADY_MS) return null;
    const code = /\(exit code (\d{1,3})\)/.exec(end.message)?.[1];
    const signal = /\((SIG[A-Z0-9]{1,10})\)/.exec(end.message)?.[1] ?? null;
    const limit = limitIn(end.message);
    const failed: FailedRun = {
      botId: bot.botId,
      runId: run.runId,
      role: 'query',
      codeDir: this.#codeDir(bot, run.version),
      status: 'failed',
      exitCode: code === undefined ? null : Number(code),
      signal,
      reason: limit === null ? null : reason('LIMIT', `Ended by the engine: ${limit}`, null, Date.parse(end.ts)),
      durationMs: null,
      memoryMb: bot.options.memory_mb ?? null,
      lines,
    };
    const verdict = classify(failed);
    if (verdict === null) return null;
    return {
      ...toFailure(verdict, lines),
      at: end.ts,
      run_id: run.runId,
      exit_code: failed.exitCode,
      signal,
      changes: [],
      last_worked_at: null,
      repeats: queryFailures,
    };
  }

  /** The newest lines of a run, with the errors before them. */
  async #lines(botId: string, runId: string): Promise<FailureLogLine[]> {
    const { telemetry } = this.#deps;
    const of = { bot_id: botId, run_id: runId };
    const [newest, errors] = await Promise.all([
      telemetry.logs({ ...of, limit: LINES }),
      telemetry.logs({ ...of, limit: ERROR_LINES, level: 'error' }),
    ]);
    const from = newest.entries[0]?.seq ?? Number.POSITIVE_INFINITY;
    return [...errors.entries.filter(({ seq }) => seq < from), ...newest.entries].flatMap(singleLines);
  }

  /** Null when the version is no longer published: places in its code are then shown as they were printed. */
  #codeDir(bot: BotRow, version: string): string | null {
    try {
      return this.#deps.codes.open(bot.userId, bot.customBot, version).codeDir;
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'CUSTOM_BOT_NOT_FOUND') return null;
      throw error;
    }
  }
}

type Cause = RunFailures['causes'][number];

function endOf({ endedAt, scheduledAt, createdAt }: RunRow): string {
  return toTimestamp(endedAt ?? scheduledAt ?? createdAt);
}

/** Splits an entry into lines: a traceback is stored as one entry, and the rules read lines. */
function singleLines(entry: FailureLogLine): FailureLogLine[] {
  if (entry.fields !== null || !entry.message.includes('\n')) return [entry];
  return entry.message.split('\n').map((message) => ({ ...entry, message }));
}

function isQueryEnd(source: string, message: string): boolean {
  return source === 'host' && message.startsWith('The query program ');
}

function toFailure(verdict: Verdict, lines: readonly FailureLogLine[]): Told {
  const evidence = verdict.evidence.flatMap((index) => {
    const line = lines[index];
    if (line === undefined) return [];
    const message = line.message.length > LINE_CHARS ? `${line.message.slice(0, LINE_CHARS - 1)}…` : line.message;
    return [{ seq: line.seq, ts: line.ts, source: line.source, message }];
  });
  const { code, message, step, next } = verdict;
  return { code, message, step, evidence, cause: null, next: { ...next, commands: [...next.commands] } };
}
