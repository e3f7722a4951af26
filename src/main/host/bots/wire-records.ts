import type { Bot, Run } from '../../../contract/bot.ts';
import { toTimestamp, toTimestampOrNull } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { type IsolationLevel, weakestLevel } from '../../../contract/isolation.ts';
import { nextDue, parseSchedule } from '../../../shared/schedule.ts';
import type { Armings } from '../arming/armings.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { RunRow, RunStore } from '../control/run-store.ts';
import type { BotCodeSource } from './bot-code.ts';
import { shownHealth } from './health.ts';
import type { Isolation } from './isolation.ts';
import { confinementsOf, type LiveRun } from './live-run.ts';
import { redactedConfig } from './redacted-config.ts';
import type { StagedChanges } from './staged-changes.ts';

export interface BotRecordsDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly codes: BotCodeSource;
  readonly liveRuns: (botId: string) => readonly LiveRun[];
  readonly isolation: Isolation;
  readonly armings: Pick<Armings, 'shown' | 'shownUntil' | 'revision'>;
  readonly staged: Pick<StagedChanges, 'shown' | 'shownUntil' | 'revision'>;
  readonly now: () => number;
  /** Base URL of the host, for links. */
  readonly url: () => string;
}

/** A run in the form that every surface returns. */
export function toRun(row: RunRow): Run {
  const { startedAt, endedAt } = row;
  return {
    run_id: row.runId,
    bot_id: row.botId,
    version: row.version,
    trigger: row.trigger,
    status: row.status,
    mode: row.mode,
    slot: toTimestampOrNull(row.scheduledAt),
    started_at: toTimestampOrNull(startedAt),
    ended_at: toTimestampOrNull(endedAt),
    duration_ms: startedAt === null || endedAt === null ? null : Math.max(0, endedAt - startedAt),
    exit_code: row.exitCode,
    signal: row.signal,
    result: row.result,
    reason: row.reason,
  };
}

function toLastRun(row: RunRow): Bot['last_run'] {
  const { run_id, trigger, status, mode, started_at, ended_at, exit_code, signal, result } = toRun(row);
  return { run_id, trigger, status, mode, started_at, ended_at, exit_code, signal, result };
}

interface KnownBot {
  readonly last: RunRow | null;
  readonly live: LiveRun | undefined;
  readonly exposure: Bot['exposure'];
  /** Of armings, as they were. */
  readonly revision: number;
  /** Of what waits for a person, as it was. */
  readonly staged: number;
  /** The record is outdated from here on, when a due time in it has passed. */
  readonly until: number;
  readonly bot: Bot;
}

/** Instances and their runs in the form that every surface returns. */
export class BotRecords {
  readonly #deps: BotRecordsDeps;
  /** Cached records, valid while their sources stay the same. */
  readonly #known = new WeakMap<BotRow, KnownBot>();

  constructor(deps: BotRecordsDeps) {
    this.#deps = deps;
  }

  list(userId: string): Bot[] {
    return this.#deps.bots.list(userId).map((bot) => this.of(bot));
  }

  /** The record of an instance with its secrets hidden. It is shared between readers and must not be changed. */
  of(bot: BotRow): Bot {
    const last = this.#deps.runs.last(bot.botId);
    const runs = this.#deps.liveRuns(bot.botId);
    const [live] = runs;
    const exposure = live?.exposure ?? null;
    const known = this.#known.get(bot);
    const [level, ...more] = confinementsOf(runs).map((one) => one.level);
    const isolation = level === undefined ? this.#deps.isolation.levelOf(bot.engine) : weakestLevel(level, ...more);
    const { revision } = this.#deps.armings;
    const staged = this.#deps.staged.revision;
    const isArmed = known?.bot.arming === null || known?.revision === revision;
    const isSame =
      known?.last === last &&
      known.live === live &&
      known.exposure === exposure &&
      known.bot.isolation === isolation &&
      known.staged === staged &&
      isArmed;
    if (isSame && known.until > this.#deps.now()) return known.bot;
    const { made, sound } = this.#record(bot, last, live, isolation);
    const due = made.next_run_at === null ? Number.POSITIVE_INFINITY : Date.parse(made.next_run_at);
    const { armings, staged: held } = this.#deps;
    const untils = [
      due,
      ...(made.arming === null ? [] : [armings.shownUntil(bot.botId)]),
      ...(made.approval === null ? [] : [held.shownUntil(bot.botId)]),
    ];
    const until = Math.min(...untils);
    // A check that ran out of time is repeated on the next read.
    if (sound) this.#known.set(bot, { last, live, exposure, revision, staged, until, bot: made });
    return made;
  }

  runs(botId: string, limit: number, before?: string): Run[] {
    return this.#deps.runs.list(botId, limit, before).map(toRun);
  }

  /** Restarts of a bot since a time (ms). */
  restartsSince(botId: string, since: number): number {
    return this.#deps.runs.restartsSince(botId, since);
  }

  run(botId: string, runId: string): Run {
    const row = this.#deps.runs.get(runId);
    if (row === null || row.botId !== botId) throw new PlatformError('RUN_NOT_FOUND');
    return toRun(row);
  }

  #record(
    bot: BotRow,
    last: RunRow | null,
    live: LiveRun | undefined,
    isolation: IsolationLevel,
  ): { made: Bot; sound: boolean } {
    const { shown, effective, sound } = this.#configs(bot);
    // Its program runs a moment before the host supervises it.
    const starts = live === undefined && bot.status === 'running' && last?.status === 'running' ? last : null;
    const startedAt = live?.unit.startedAt ?? starts?.startedAt ?? null;
    const schedule = bot.enabled && bot.schedule !== null ? parseSchedule(bot.schedule, bot.timezone) : null;
    const due = schedule === null ? null : nextDue(schedule, this.#deps.now());
    const made = {
      bot_id: bot.botId,
      name: bot.name,
      type: `${bot.type}/${bot.customBot}`,
      version: bot.version,
      schedule: bot.schedule,
      timezone: bot.schedule === null ? null : bot.timezone,
      config: shown,
      effective_config: effective,
      options: bot.options,
      enabled: bot.enabled,
      generation: bot.generation,
      status: bot.status,
      reason: bot.reason,
      health: shownHealth(bot),
      hold: bot.hold,
      arming: this.#deps.armings.shown(bot),
      approval: this.#deps.staged.shown(bot),
      engine: bot.engine,
      isolation,
      isolation_exception: this.#deps.isolation.shown(bot, isolation),
      exposure: live?.exposure ?? null,
      created_at: toTimestamp(bot.createdAt),
      updated_at: toTimestamp(bot.updatedAt),
      started_at: toTimestampOrNull(startedAt),
      next_run_at: toTimestampOrNull(due),
      next_attempt_at: toTimestampOrNull(bot.nextAttemptAt),
      run_id: live?.run.runId ?? starts?.runId ?? null,
      last_run: last === null ? null : toLastRun(last),
      restarts: bot.restarts,
      url: `${this.#deps.url()}/bots/${bot.botId}`,
    };
    return { made, sound };
  }

  #configs(bot: BotRow): { shown: Bot['config']; effective: Bot['config']; sound: boolean } {
    const code = this.#deps.codes.open(bot.userId, bot.customBot, bot.version);
    const { effective, problems } = code.validate(bot.config);
    return {
      shown: redactedConfig(code, bot.config),
      effective: redactedConfig(code, effective),
      sound: problems.length === 0,
    };
  }
}
