import type { Bot, Run } from '../../contract/bot.ts';
import { toTimestamp, toTimestampOrNull } from '../../contract/common.ts';
import { PlatformError } from '../../contract/errors.ts';
import { nextRun, parseCron } from '../../isomorphic/cron.ts';
import type { BotRow, BotStore } from '../store/bot-store.ts';
import type { RunRow, RunStore } from '../store/run-store.ts';
import type { BotCodeSource } from './bot-code.ts';
import type { LiveRun } from './live-run.ts';
import { shownConfig } from './shown-config.ts';

export interface BotRecordsDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly codes: BotCodeSource;
  readonly liveRuns: (botId: string) => readonly LiveRun[];
  readonly now: () => number;
  /** Base URL of the host, for links. */
  readonly url: () => string;
}

/** A run in the form every surface returns (wire.md section 3). */
export function toRun(row: RunRow): Run {
  const { startedAt, endedAt } = row;
  return {
    run_id: row.runId,
    bot_id: row.botId,
    version: row.version,
    trigger: row.trigger,
    status: row.status,
    slot: toTimestampOrNull(row.slot),
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
  const { run_id, trigger, status, started_at, ended_at, exit_code, signal, result } = toRun(row);
  return { run_id, trigger, status, started_at, ended_at, exit_code, signal, result };
}

interface KnownBot {
  readonly last: RunRow | null;
  readonly live: LiveRun | undefined;
  /** When it tells of a due time that has passed. */
  readonly until: number;
  readonly bot: Bot;
}

/** Instances and their runs in the form every surface returns (wire.md section 3). */
export class BotRecords {
  readonly #d: BotRecordsDeps;
  /** Records as they were made, as long as what they are made of is the same. */
  readonly #known = new WeakMap<BotRow, KnownBot>();

  constructor(deps: BotRecordsDeps) {
    this.#d = deps;
  }

  list(userId: string): Bot[] {
    return this.#d.bots.list(userId).map((bot) => this.of(bot));
  }

  /** The record of an instance with its secrets hidden. It is shared by all who read it: nobody changes it. */
  of(bot: BotRow): Bot {
    const last = this.#d.runs.last(bot.botId);
    const [live] = this.#d.liveRuns(bot.botId);
    const known = this.#known.get(bot);
    if (known?.last === last && known.live === live && known.until > this.#d.now()) return known.bot;
    const { made, sound } = this.#record(bot, last, live);
    const until = made.next_run_at === null ? Number.POSITIVE_INFINITY : Date.parse(made.next_run_at);
    // A check that found no time is made again the next time.
    if (sound) this.#known.set(bot, { last, live, until, bot: made });
    return made;
  }

  runs(botId: string, limit: number, before?: string): Run[] {
    return this.#d.runs.list(botId, limit, before).map(toRun);
  }

  run(botId: string, runId: string): Run {
    const row = this.#d.runs.get(runId);
    if (row === null || row.botId !== botId) throw new PlatformError('RUN_NOT_FOUND');
    return toRun(row);
  }

  #record(bot: BotRow, last: RunRow | null, live: LiveRun | undefined): { made: Bot; sound: boolean } {
    const { shown, effective, sound } = this.#configs(bot);
    // Its program is there a moment before the host looks after it.
    const starts = live === undefined && bot.status === 'running' && last?.status === 'running' ? last : null;
    const startedAt = live?.unit.startedAt ?? starts?.startedAt ?? null;
    const due = bot.enabled && bot.schedule !== null ? nextRun(parseCron(bot.schedule), this.#d.now()) : null;
    const made = {
      bot_id: bot.botId,
      name: bot.name,
      type: `${bot.type}/${bot.customBot}`,
      version: bot.version,
      schedule: bot.schedule,
      config: shown,
      effective_config: effective,
      options: bot.options,
      enabled: bot.enabled,
      status: bot.status,
      reason: bot.reason,
      engine: bot.engine,
      created_at: toTimestamp(bot.createdAt),
      updated_at: toTimestamp(bot.updatedAt),
      started_at: toTimestampOrNull(startedAt),
      next_run_at: toTimestampOrNull(due),
      next_attempt_at: toTimestampOrNull(bot.nextAttemptAt),
      run_id: live?.run.runId ?? starts?.runId ?? null,
      last_run: last === null ? null : toLastRun(last),
      restarts: bot.restarts,
      url: `${this.#d.url()}/bots/${bot.botId}`,
    };
    return { made, sound };
  }

  #configs(bot: BotRow): { shown: Bot['config']; effective: Bot['config']; sound: boolean } {
    const code = this.#d.codes.open(bot.userId, bot.customBot, bot.version);
    const { effective, problems } = code.validate(bot.config);
    return {
      shown: shownConfig(code, bot.config),
      effective: shownConfig(code, effective),
      sound: problems.length === 0,
    };
  }
}
