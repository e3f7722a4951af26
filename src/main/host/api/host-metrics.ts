import { type Bot, BotStatus } from '../../../contract/bot.ts';
import type { BotStats } from '../../../contract/bot-stats.ts';
import type { LogCounts, LogLevel } from '../../../contract/telemetry.ts';
import { settlesWithin } from '../../../node/bounded-wait.ts';
import { botStats } from '../bots/bot-stats.ts';
import type { Supervisor } from '../bots/supervisor.ts';
import type { BotRecords } from '../bots/wire-records.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { RunStore } from '../control/run-store.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import { type Reach, reaches } from './own-bot.ts';
import { exposition, type MetricFamily, type Sample } from './prometheus-text.ts';

/** A scrape usually ends after 10 s: what an engine or a log does not tell by then is left out, and said to be. */
const PATIENCE_MS = 5000;
const DAY_MS = 86_400_000;
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** What one bot looks like at a scrape; null for what could not be read in time. */
export interface BotFacts {
  readonly bot: Bot;
  readonly stats: BotStats | null;
  readonly lines: LogCounts | null;
  /** Due times of the last 24 hours that had no run. */
  readonly missed: number;
}

export interface HostFacts {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly bots: readonly BotFacts[];
}

const seconds = (timestamp: string): number => Date.parse(timestamp) / 1000;
const UP: ReadonlySet<BotStatus> = new Set(['running', 'scheduled', 'stopping']);

/** The metrics of a host and its bots. Labels are a bot's id and name, and few fixed words: one series each per bot. */
export function metricFamilies({ version, startedAt, bots }: HostFacts): MetricFamily[] {
  const of = (read: (facts: BotFacts) => number | null, wanted: (facts: BotFacts) => boolean = () => true): Sample[] =>
    bots.filter(wanted).flatMap((facts) => {
      const value = read(facts);
      const { bot_id, name } = facts.bot;
      return value === null ? [] : [{ labels: { bot_id, bot: name }, value }];
    });
  const at = (read: (bot: Bot) => string | null | undefined) =>
    of(({ bot }) => {
      const time = read(bot);
      return time == null ? null : seconds(time);
    });
  const sum = (read: (program: BotStats['programs'][number]) => number) =>
    of(({ stats }) => (stats === null ? null : stats.programs.reduce((total, one) => total + read(one), 0)));
  const isScheduled = ({ bot }: BotFacts): boolean => bot.schedule !== null;
  const gauge = (name: string, help: string, samples: readonly Sample[]): MetricFamily => ({
    name: `platform_${name}`,
    type: 'gauge',
    help,
    samples,
  });
  const counter = (name: string, help: string, samples: readonly Sample[]): MetricFamily => ({
    ...gauge(name, help, samples),
    type: 'counter',
  });
  const incomplete = bots.filter(({ stats, lines }) => stats === null || lines === null).length;
  return [
    gauge('build_info', 'Release of the host.', [{ labels: { version }, value: 1 }]),
    gauge('start_time_seconds', 'When the host started, Unix time.', [{ labels: {}, value: startedAt / 1000 }]),
    gauge(
      'bots',
      'Bots by status.',
      BotStatus.options.map((status) => ({
        labels: { status },
        value: bots.filter(({ bot }) => bot.status === status).length,
      })),
    ),
    gauge('scrape_incomplete_bots', 'Bots of which this scrape lacks resources or lines.', [
      { labels: {}, value: incomplete },
    ]),
    gauge(
      'bot_info',
      'What a bot is; always 1.',
      bots.map(({ bot: { bot_id, name, type, version: release, engine } }) => ({
        labels: { bot_id, bot: name, type, version: release, engine },
        value: 1,
      })),
    ),
    gauge(
      'bot_enabled',
      '1 if the bot is to run.',
      of(({ bot }) => Number(bot.enabled)),
    ),
    gauge(
      'bot_up',
      '1 while the bot runs or waits for its next due time.',
      of(({ bot }) => Number(UP.has(bot.status))),
    ),
    gauge(
      'bot_healthy',
      '1 while nothing is wrong with the bot.',
      of(({ bot }) => Number(bot.health.state === 'ok')),
    ),
    counter(
      'bot_restarts_total',
      'Restarts after a failure.',
      of(({ bot }) => bot.restarts),
    ),
    gauge(
      'bot_started_time_seconds',
      'When the running program started, Unix time.',
      at((bot) => bot.started_at),
    ),
    gauge(
      'bot_next_run_time_seconds',
      'Next due time, Unix time.',
      at((bot) => bot.next_run_at),
    ),
    gauge(
      'bot_last_run_end_time_seconds',
      'When the last run ended, Unix time.',
      at((bot) => bot.last_run?.ended_at),
    ),
    gauge(
      'bot_last_run_succeeded',
      '1 if the last run that ended went well.',
      of(
        ({ bot: { last_run } }) => (last_run?.ended_at == null ? null : Number(last_run.status === 'succeeded')),
        isScheduled,
      ),
    ),
    gauge(
      'bot_missed_runs',
      'Due times of the last 24 hours without a run.',
      of(({ missed }) => missed, isScheduled),
    ),
    counter(
      'bot_cpu_seconds_total',
      'Processor time of the running programs.',
      sum(({ cpu_ms }) => cpu_ms / 1000),
    ),
    gauge(
      'bot_memory_bytes',
      'Memory of the running programs.',
      sum(({ memory_bytes }) => memory_bytes),
    ),
    gauge(
      'bot_processes',
      'Processes of the running programs.',
      sum(({ processes }) => processes),
    ),
    gauge(
      'bot_last_line_time_seconds',
      'When the newest line or metric arrived, Unix time.',
      of(({ lines }) => (lines?.last_at == null ? null : seconds(lines.last_at))),
    ),
    counter(
      'bot_lines_total',
      'Log lines by level.',
      bots.flatMap(({ bot: { bot_id, name }, lines }) =>
        lines === null
          ? []
          : LEVELS.map((level) => ({ labels: { bot_id, bot: name, level }, value: lines.by_level[level] })),
      ),
    ),
    counter(
      'bot_lines_dropped_total',
      'Lines that could not be stored.',
      of(({ lines }) => lines?.dropped ?? null),
    ),
  ];
}

export interface HostMetricsDeps {
  readonly bots: BotStore;
  readonly runs: Pick<RunStore, 'skippedSince'>;
  readonly records: BotRecords;
  readonly supervisor: Pick<Supervisor, 'liveRuns'>;
  readonly telemetry: Pick<Telemetry, 'summary'>;
  readonly version: string;
  readonly startedAt: number;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/** The metrics that a caller may see, as text: those of the host and of the bots in reach. */
export type HostMetrics = (who: Reach) => Promise<string>;

export function createHostMetrics(deps: HostMetricsDeps): HostMetrics {
  /** Null for work that fails or takes too long: one bot must not cost the metrics of the others. */
  const inTime = async <T>(where: string, work: Promise<T>): Promise<T | null> => {
    try {
      return (await settlesWithin(PATIENCE_MS, work)) ? await work : null;
    } catch (error) {
      deps.onError(where, error);
      return null;
    }
  };
  const factsOf = async (bot: BotRow): Promise<BotFacts> => {
    const { botId } = bot;
    const [stats, lines] = await Promise.all([
      inTime(`resources of ${botId}`, botStats(bot, deps.supervisor.liveRuns(botId), deps.now())),
      inTime(`lines of ${botId}`, deps.telemetry.summary(botId)),
    ]);
    return { bot: deps.records.of(bot), stats, lines, missed: deps.runs.skippedSince(botId, deps.now() - DAY_MS) };
  };
  return async (who) => {
    const rows = deps.bots.list(who.userId).filter(({ botId }) => reaches(who, botId));
    const bots = await Promise.all(rows.map(factsOf));
    return exposition(metricFamilies({ version: deps.version, startedAt: deps.startedAt, bots }));
  };
}
