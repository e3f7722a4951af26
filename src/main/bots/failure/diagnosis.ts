import { toTimestamp, toTimestampOrNull } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { Failure } from '../../../contract/failure.ts';
import { limitIn } from '../../engine/limit-words.ts';
import type { BotRow } from '../../store/bot-store.ts';
import type { EventStore } from '../../store/event-store.ts';
import type { RunRow, RunStore } from '../../store/run-store.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { STEADY_MS } from '../backoff.ts';
import type { BotCodeSource } from '../bot-code.ts';
import type { LiveRun } from '../live-run.ts';
import { reason } from '../reasons.ts';
import { changesBetween } from './changes.ts';
import { classify, isFailure } from './classify.ts';
import type { FailedRun, FailureLogLine, Verdict } from './facts.ts';
import { historyOf, isOver } from './history.ts';

export interface DiagnosisDeps {
  readonly runs: Pick<RunStore, 'get' | 'list'>;
  readonly events: Pick<EventStore, 'changesSince'>;
  readonly telemetry: Pick<Telemetry, 'logs'>;
  readonly codes: BotCodeSource;
  readonly supervisor: { liveRuns(botId: string): readonly LiveRun[] };
  readonly now: () => number;
}

/** Results are read with the runs and may be large: a healthy bot costs a few rows only. */
const RUNS_FOR_STATUS = 5;
const RUNS_LOOKED_AT = 50;
const EVENTS_LOOKED_AT = 100;
const LINES = 200;
const ERROR_LINES = 20;
const LINE_CHARS = 500;
/** From this many failures in a row on, a realtime bot is in a crash loop. */
const LOOP = 3;

/** Tells why a run failed or a bot is not well: gathers what is stored, and asks the rules (classify.ts). */
export class Diagnosis {
  readonly #d: DiagnosisDeps;

  constructor(deps: DiagnosisDeps) {
    this.#d = deps;
  }

  /** What is wrong with a bot by its last run; null while nothing is. */
  async ofBot(bot: BotRow): Promise<Failure | null> {
    const [last] = this.#d.runs.list(bot.botId, RUNS_FOR_STATUS).filter(isOver);
    const [live] = this.#d.supervisor.liveRuns(bot.botId);
    const proven = live !== undefined && bot.type === 'realtime' && this.#isProven(bot, live);
    if (last !== undefined && isFailure(last) && !proven) {
      const runs = this.#d.runs.list(bot.botId, RUNS_LOOKED_AT).filter(isOver);
      return this.#explain(bot, runs, bot.type === 'realtime');
    }
    return live === undefined ? null : this.#queryProgram(bot, live);
  }

  /** Why one run failed; null when it did not. Throws RUN_NOT_FOUND. */
  async ofRun(bot: BotRow, runId: string): Promise<Failure | null> {
    const run = this.#d.runs.get(runId);
    if (run === null || run.botId !== bot.botId) throw new PlatformError('RUN_NOT_FOUND');
    if (!isOver(run) || !isFailure(run)) return null;
    const before = this.#d.runs.list(bot.botId, RUNS_LOOKED_AT, runId).filter(isOver);
    return this.#explain(bot, [run, ...before], false);
  }

  /** A realtime bot that runs again is well once it was started anew on request, or has gone on for long enough. */
  #isProven(bot: BotRow, live: LiveRun): boolean {
    return bot.failures === 0 || this.#d.now() - live.unit.startedAt >= STEADY_MS;
  }

  async #explain(bot: BotRow, runs: readonly RunRow[], mayLoop: boolean): Promise<Failure | null> {
    const [run] = runs;
    if (run === undefined) return null;
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
    if (verdict === null) return null;
    const { repeats, worked, since } = historyOf(runs, bot.type);
    const events = this.#d.events.changesSince(bot.botId, worked?.createdAt ?? 0, EVENTS_LOOKED_AT);
    const loop = mayLoop && repeats >= LOOP && run.status !== 'stopped';
    return {
      ...toFailure(verdict, lines),
      ...(loop
        ? {
            code: 'CRASH_LOOP',
            message: `Failed ${repeats} times in a row. The last time: ${verdict.message}`,
            cause: { code: verdict.code, message: verdict.message },
          }
        : {}),
      at: toTimestamp(run.endedAt ?? run.slot ?? run.createdAt),
      run_id: run.runId,
      exit_code: run.exitCode,
      signal: run.signal,
      changes: changesBetween({ worked, failed: run, events, runs: since }),
      last_worked_at: toTimestampOrNull(worked?.endedAt ?? null),
      repeats,
    };
  }

  /** The query program of a bot that runs: while it fails, the bot works but cannot be asked. */
  async #queryProgram(bot: BotRow, { run, queryFailures }: LiveRun): Promise<Failure | null> {
    if (queryFailures === 0) return null;
    const { entries } = await this.#d.telemetry.logs({ bot_id: bot.botId, run_id: run.runId, limit: LINES });
    const lines = entries.filter(({ source, message }) => source === 'query' || isQueryEnd(source, message));
    const end = lines.findLast(({ source, message }) => isQueryEnd(source, message));
    if (end === undefined || this.#d.now() - Date.parse(end.ts) >= STEADY_MS) return null;
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
    const { telemetry } = this.#d;
    const of = { bot_id: botId, run_id: runId };
    const [newest, errors] = await Promise.all([
      telemetry.logs({ ...of, limit: LINES }),
      telemetry.logs({ ...of, limit: ERROR_LINES, level: 'error' }),
    ]);
    const from = newest.entries[0]?.seq ?? Number.POSITIVE_INFINITY;
    return [...errors.entries.filter(({ seq }) => seq < from), ...newest.entries];
  }

  /** Null when the version is no longer published: then places in its code are shown as they were printed. */
  #codeDir(bot: BotRow, version: string): string | null {
    try {
      return this.#d.codes.open(bot.userId, bot.customBot, version).codeDir;
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'CUSTOM_BOT_NOT_FOUND') return null;
      throw error;
    }
  }
}

function isQueryEnd(source: string, message: string): boolean {
  return source === 'host' && message.startsWith('The query program ');
}

function toFailure(
  verdict: Verdict,
  lines: readonly FailureLogLine[],
): Pick<Failure, 'code' | 'message' | 'step' | 'evidence' | 'cause' | 'next'> {
  const evidence = verdict.evidence.flatMap((index) => {
    const line = lines[index];
    if (line === undefined) return [];
    const message = line.message.length > LINE_CHARS ? `${line.message.slice(0, LINE_CHARS - 1)}…` : line.message;
    return [{ seq: line.seq, ts: line.ts, source: line.source, message }];
  });
  const { code, message, step, next } = verdict;
  return { code, message, step, evidence, cause: null, next: { action: next.action, commands: [...next.commands] } };
}
