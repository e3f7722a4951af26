import type { Bot, Run } from '../../../src/contract/bot.ts';
import type { BotEventBy } from '../../../src/contract/bot-actor.ts';
import type { BotStats } from '../../../src/contract/bot-stats.ts';
import type { Failure } from '../../../src/contract/failure.ts';

/** The time at which the fixed world stands still: a Wednesday. */
export const NOW = Date.parse('2026-03-04T10:20:30.000Z');
/** The address of the fixed host as it tells it; the page itself is loaded from a real one. */
export const FIXED_URL = 'http://127.0.0.1:7420';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A time before the world stands still, in milliseconds back. */
export const back = (ms: number): string => new Date(NOW - ms).toISOString();

const CONFIG = {
  symbol: 'AAPL',
  short_period: 5,
  api_key: '********',
  thresholds: { AAPL: 190, MSFT: 400 },
};

function bot(bot_id: string, name: string, over: Partial<Bot>): Bot {
  return {
    bot_id,
    name,
    type: 'realtime/sma-crossover',
    version: '1.2.0',
    schedule: null,
    timezone: null,
    config: CONFIG,
    effective_config: { ...CONFIG, long_period: 20 },
    options: { memory_mb: 512 },
    enabled: true,
    generation: 1,
    status: 'running',
    reason: null,
    health: { state: 'ok', failures: 0, reason: null },
    engine: 'process',
    hold: null,
    arming: null,
    approval: null,
    isolation: 'none',
    isolation_exception: null,
    exposure: null,
    created_at: back(9 * 24 * HOUR),
    updated_at: back(26 * HOUR),
    started_at: back(26 * HOUR),
    next_run_at: null,
    next_attempt_at: null,
    run_id: `run_${bot_id}`,
    last_run: null,
    restarts: 0,
    url: `${FIXED_URL}/bots/${bot_id}`,
    ...over,
  };
}

function run(run_id: string, bot_id: string, over: Partial<Run>): Run {
  return {
    run_id,
    bot_id,
    version: '1.2.0',
    trigger: 'schedule',
    status: 'succeeded',
    mode: 'unverified',
    slot: null,
    started_at: back(HOUR),
    ended_at: back(HOUR - 2400),
    duration_ms: 2400,
    exit_code: 0,
    signal: null,
    result: null,
    reason: null,
    ...over,
  };
}

/** The bot that most places are shown with: it runs, and has some of everything. */
export const WELL = 'bot_well';
/** It fails again and again since a change of its version. */
export const BROKEN = 'bot_broken';
export const SCHEDULED = 'bot_scheduled';
/** It was deployed a moment ago, and has no data yet. */
export const FRESH = 'bot_fresh';

const LAST_SCHEDULED = run('run_s9', SCHEDULED, {
  version: '1.0.3',
  result: { positions: 4, value: 12_480.5, note: 'all prices read' },
  slot: back(20.5 * MINUTE),
  started_at: back(20.5 * MINUTE),
  ended_at: back(20.5 * MINUTE - 2400),
});

const REASON = {
  code: 'NODE_EXCEPTION',
  message: "TypeError in bot.mjs:14: Cannot read properties of undefined (reading 'key')",
  hint: 'Look at line 14 of bot.mjs.',
  at: back(4 * MINUTE),
};

/** Enough bots for an action on all of them to need confirmation. */
const WATCHERS: readonly Bot[] = Array.from({ length: 8 }, (_, i) =>
  bot(`bot_watcher${i + 1}`, `Watcher ${i + 1}`, {
    type: 'scheduled/portfolio-tracker',
    version: '1.0.2',
    schedule: '0 9 * * *',
    timezone: 'UTC',
    status: 'scheduled',
    run_id: null,
    started_at: null,
    next_run_at: '2026-03-05T09:00:00.000Z',
  }),
);

export const BOTS: readonly Bot[] = [
  ...WATCHERS,
  bot(WELL, 'SMA crossover AAPL', {}),
  bot(BROKEN, 'Grid ETH', {
    type: 'realtime/grid-trader',
    version: '2.0.1',
    status: 'backing_off',
    reason: REASON,
    health: { state: 'crash_looping', failures: 6, reason: REASON },
    next_attempt_at: new Date(NOW + 42 * SECOND).toISOString(),
    run_id: null,
    started_at: null,
    restarts: 6,
    last_run: {
      run_id: 'run_b1',
      trigger: 'restart',
      status: 'failed',
      mode: 'unverified',
      started_at: back(4 * MINUTE + 900),
      ended_at: back(4 * MINUTE),
      exit_code: 1,
      signal: null,
      result: null,
    },
  }),
  bot(SCHEDULED, 'Portfolio report', {
    type: 'scheduled/portfolio-tracker',
    version: '1.0.3',
    schedule: '0 14 * * 1-5',
    timezone: 'UTC',
    status: 'scheduled',
    run_id: null,
    started_at: null,
    next_run_at: new Date(Date.parse('2026-03-04T14:00:00.000Z')).toISOString(),
    last_run: LAST_SCHEDULED,
    arming: {
      state: 'expired',
      version: '1.0.3',
      armed_at: back(31 * 24 * HOUR),
      armed_by: 'ada',
      until: back(24 * HOUR),
      stop_at_expiry: false,
      for_review: false,
      message: `its arming ended on ${back(24 * HOUR)}`,
    },
  }),
  bot('bot_stopped', 'Price alerts', {
    type: 'realtime/price-alerts',
    version: '0.9.0',
    enabled: false,
    status: 'stopped',
    reason: { code: 'DISABLED', message: 'It was stopped', hint: null, at: back(3 * HOUR) },
    run_id: null,
    started_at: null,
  }),
  bot('bot_failed', 'Momentum', {
    type: 'realtime/momentum',
    version: '0.1.0',
    status: 'failed',
    reason: {
      code: 'INVALID_CONFIG',
      message: 'The config does not fit version 0.1.0: exchange is required',
      hint: 'Set exchange in its config.',
      at: back(2 * HOUR),
    },
    run_id: null,
    started_at: null,
  }),
  bot(
    'bot_long',
    'Arbitrage between three exchanges, with a name that is longer than anybody would ever like to read',
    {
      type: 'realtime/a-custom-bot-with-a-name-of-fifty-characters-as-it-may',
      version: '10.20.30',
      started_at: back(40 * SECOND),
      engine: 'docker',
      isolation: 'container',
    },
  ),
  bot(FRESH, 'Fresh', {
    type: 'scheduled/portfolio-tracker',
    version: '1.0.3',
    schedule: '*/5 * * * *',
    timezone: 'UTC',
    status: 'scheduled',
    run_id: null,
    started_at: null,
    created_at: back(8 * SECOND),
    updated_at: back(8 * SECOND),
    next_run_at: new Date(NOW + 270 * SECOND).toISOString(),
  }),
];

/** More bots than a window has rows for. */
export const MANY_BOTS: readonly Bot[] = Array.from({ length: 1000 }, (_, i) =>
  bot(`bot_many${i + 1}`, `Trader ${i + 1}`, {}),
);

/** Why the broken bot is not well. */
export const FAILURE: Failure = {
  code: 'NODE_EXCEPTION',
  message: REASON.message,
  step: 'run',
  at: REASON.at,
  run_id: 'run_b1',
  exit_code: 1,
  signal: null,
  evidence: [
    'file:///code/src/bot.mjs:14',
    'const signer = sign(config.exchange.key);',
    '                                    ^',
    REASON.message.replace(' in bot.mjs:14', ''),
    '    at file:///code/src/bot.mjs:14:37',
  ].map((message, at) => ({ seq: 90 + at, ts: back(4 * MINUTE), source: 'stderr', message })),
  changes: [{ what: 'version', message: 'Version 2.0.0 → 2.0.1', at: back(11 * MINUTE) }],
  last_worked_at: back(11 * MINUTE),
  repeats: 6,
  cause: null,
  next: {
    action: 'Go back to the version that worked, then look at line 14 of bot.mjs.',
    commands: [],
    fix: { kind: 'code', file: 'bot.mjs', line: 14 },
  },
};

const TRIGGERS = ['schedule', 'schedule', 'manual', 'catch_up', 'schedule', 'schedule'] as const;

/** Runs by bot, newest first. */
export const RUNS: Readonly<Record<string, readonly Run[]>> = {
  [WELL]: [
    run(`run_${WELL}`, WELL, {
      trigger: 'deploy',
      status: 'running',
      started_at: back(26 * HOUR),
      ended_at: null,
      duration_ms: null,
      exit_code: null,
    }),
  ],
  [BROKEN]: [
    run('run_b1', BROKEN, {
      version: '2.0.1',
      trigger: 'restart',
      status: 'failed',
      started_at: back(4 * MINUTE + 900),
      ended_at: back(4 * MINUTE),
      duration_ms: 900,
      exit_code: 1,
      reason: REASON,
    }),
    run('run_b0', BROKEN, {
      version: '2.0.0',
      trigger: 'deploy',
      status: 'stopped',
      started_at: back(9 * HOUR),
      ended_at: back(11 * MINUTE),
      duration_ms: 9 * HOUR - 11 * MINUTE,
      exit_code: null,
      signal: 'SIGTERM',
    }),
  ],
  [SCHEDULED]: [
    LAST_SCHEDULED,
    ...TRIGGERS.map((trigger, i) => {
      const start = (i + 1) * 24 * HOUR + 20.5 * MINUTE;
      const failed = i === 2;
      return run(`run_s${8 - i}`, SCHEDULED, {
        version: i < 3 ? '1.0.3' : '1.0.2',
        trigger,
        slot: trigger === 'manual' ? null : back(start),
        started_at: back(start),
        ended_at: back(start - 1800 - i * 90),
        duration_ms: 1800 + i * 90,
        ...(failed
          ? {
              status: 'failed' as const,
              exit_code: 3,
              reason: {
                code: 'DNS_FAILURE',
                message: 'The name api.exchange.example could not be found',
                hint: null,
                at: back(start),
              },
            }
          : { result: { positions: 4, value: 12_480.5 - i * 31 } }),
      });
    }),
    run('run_s0', SCHEDULED, {
      version: '1.0.2',
      status: 'skipped',
      slot: back(8 * 24 * HOUR),
      started_at: null,
      ended_at: null,
      duration_ms: null,
      exit_code: null,
      reason: { code: 'OVERLAP', message: 'The run before it still went on', hint: null, at: back(8 * 24 * HOUR) },
    }),
  ],
};

/** Changes of the bots that have any, newest first. */
export const EVENTS: Readonly<Record<string, readonly BotEventBy[]>> = {
  [WELL]: [
    {
      event_id: 12,
      bot_id: WELL,
      at: back(2 * MINUTE),
      kind: 'updated',
      status: null,
      health: null,
      reason: null,
      run_id: null,
      trigger: null,
      requested: true,
      by: null,
      changes: [{ what: 'config', message: 'short_period 8 → 5' }],
    },
    {
      event_id: 3,
      bot_id: WELL,
      at: back(26 * HOUR),
      kind: 'deployed',
      status: null,
      health: null,
      reason: null,
      run_id: null,
      trigger: null,
      requested: true,
      by: null,
      changes: [],
    },
  ],
};

/** What the bots that run use; the second look a little later than the first. */
export function statsOf(botId: string, look: number): BotStats {
  const runs = BOTS.some((one) => one.bot_id === botId && one.run_id !== null);
  return {
    bot_id: botId,
    engine: 'process',
    at: new Date(NOW + look * SECOND).toISOString(),
    restarts: 0,
    programs: runs
      ? [
          {
            role: 'bot',
            run_id: `run_${botId}`,
            started_at: back(26 * HOUR),
            // Always the same share of a core, however often it is looked at.
            cpu_ms: 61_000 + look * 24,
            memory_bytes: 48_234_496,
            processes: 2,
            network: null,
          },
        ]
      : [],
  };
}
