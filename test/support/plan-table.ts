import type { BotType, Reason } from '../../src/contract/bot.ts';
import { WELL } from '../../src/main/host/bots/health.ts';
import { newRun } from '../../src/main/host/bots/new-run-row.ts';
import type { Facts, PlanEvent, SupervisedRun } from '../../src/main/host/bots/plan-types.ts';
import type { BotRow } from '../../src/main/host/control/bot-store.ts';
import type { RunEnd } from '../../src/main/host/control/run-store.ts';

/** What a plan is asked about, but for the event. */
export interface Situation {
  readonly bot: BotRow;
  readonly runs: readonly SupervisedRun[];
  readonly facts: Omit<Facts, 'event'>;
}

export const NOW = Date.parse('2026-01-01T12:00:30Z');
const why = (code: string): Reason => ({ code, message: code, hint: null, at: '2026-01-01T00:00:00.000Z' });

/** A realtime bot that is to start, and is changed by `change`. */
export function aBot(change: Partial<BotRow> = {}): BotRow {
  const isScheduled = change.type === 'scheduled';
  const type: BotType = isScheduled ? 'scheduled' : 'realtime';
  const setup = { customBot: 'c', version: '1.0.0', config: {}, flat: false, options: {}, engine: 'process' };
  const state = {
    enabled: true,
    deleting: false,
    trash: null,
    epoch: 2,
    generation: 1,
    reason: null,
    health: WELL,
    restarts: 0,
    failures: 0,
  };
  const times = { nextAttemptAt: null, scheduledFrom: null, createdAt: 0, updatedAt: 0 };
  const status = isScheduled ? 'scheduled' : 'starting';
  const own = {
    botId: 'bot_1',
    userId: 'user_1',
    name: 'b',
    type,
    isolationException: null,
    hold: null,
    status,
  } as const;
  return {
    ...own,
    ...setup,
    ...state,
    ...times,
    schedule: isScheduled ? '* * * * *' : null,
    timezone: 'UTC',
    ...change,
  };
}

export const aRun = (change: Partial<SupervisedRun> = {}): SupervisedRun => ({
  run: { runId: 'run_1', trigger: 'schedule' },
  engine: 'process',
  epoch: 2,
  intent: 'none',
  again: false,
  ...change,
});

const NOTHING: Situation['facts'] = {
  closing: false,
  orphans: 'none',
  restartTimer: 'none',
  preparation: 'ready',
  deletionWaiters: true,
  random: 0.5,
};

const situation = (
  bot: Partial<BotRow>,
  runs: readonly SupervisedRun[] = [],
  facts: Partial<Situation['facts']> = {},
): Situation => ({ bot: aBot(bot), runs, facts: { ...NOTHING, ...facts } });

const STUCK = { status: 'failed', reason: why('NOT_ADOPTED') } as const;
const OFF = { enabled: false, status: 'stopped', reason: why('DISABLED') } as const;
const TRASH = { at: NOW, by: 'ann', inPerson: true };
const MANUAL = aRun({ run: { runId: 'run_1', trigger: 'manual' } });

/** The states of a bot in the table of the plan, each with an example. */
export const STATES: Readonly<Record<string, Situation>> = {
  off: situation(OFF),
  'to stop': situation({ enabled: false, status: 'running' }, [aRun()]),
  finished: situation({ status: 'stopped', reason: why('COMPLETED') }),
  failed: situation({ status: 'failed', reason: why('INVALID_CONFIG') }),
  'engine away': situation({ status: 'failed', reason: why('ENGINE_UNAVAILABLE') }),
  waiting: situation({ status: 'backing_off', failures: 1, nextAttemptAt: NOW + 1000 }, [], { restartTimer: 'set' }),
  ready: situation({}),
  unready: situation({}, [], { preparation: 'needed' }),
  running: situation({ status: 'running' }, [aRun()]),
  outdated: situation({ status: 'running' }, [aRun({ epoch: 1 })]),
  replaced: situation({ status: 'running' }, [aRun({ epoch: 1 })], { preparation: 'needed' }),
  stopping: situation({ status: 'stopping' }, [aRun()]),
  idle: situation({ type: 'scheduled' }),
  busy: situation({ type: 'scheduled', status: 'running' }, [aRun()]),
  'by hand': situation({ type: 'scheduled', ...OFF, status: 'running' }, [MANUAL]),
  unasked: situation({ status: 'running' }, [], { orphans: 'unasked' }),
  orphaned: situation({ status: 'running' }, [], { orphans: 'mayRun' }),
  stuck: situation(STUCK, [], { orphans: 'mayRun' }),
  freed: situation(STUCK),
  closing: situation({}, [], { closing: true }),
  deleted: situation({ ...OFF, deleting: true }),
  leaving: situation({ ...OFF, deleting: true }, [aRun()]),
  'deleted, unasked': situation({ ...OFF, deleting: true }, [], { orphans: 'unasked' }),
  'deleted, orphaned': situation({ ...OFF, deleting: true }, [], { orphans: 'mayRun' }),
  'deleted, stuck': situation({ ...OFF, deleting: true }, [], { orphans: 'unended' }),
  trashed: situation({ ...OFF, trash: TRASH }),
  'trashed, leaving': situation({ ...OFF, trash: TRASH }, [aRun()]),
  'trashed, unasked': situation({ ...OFF, trash: TRASH }, [], { orphans: 'unasked' }),
  'trashed, orphaned': situation({ ...OFF, trash: TRASH }, [], { orphans: 'mayRun' }),
  'trashed, stuck': situation({ ...OFF, trash: TRASH }, [], { orphans: 'unended' }),
};

const runOf = (trigger: 'schedule' | 'manual', runId = 'run_2') => newRun(aBot(), runId, trigger, NOW);
const end = (status: RunEnd['status']): RunEnd => {
  const isGood = status === 'succeeded';
  const seen = { endedAt: NOW, exitCode: isGood ? 0 : 1, signal: null, result: null };
  return { ...seen, status, reason: isGood ? null : why('EXIT_CODE') };
};
const ended = (status: RunEnd['status'], drained: boolean): PlanEvent => {
  return { is: 'ended', run: aRun(), end: end(status), upMs: 1000, drained };
};
const notStarted = (isLasting: boolean, engineMs: number | null = null, hasUnit = false): PlanEvent => {
  return {
    is: 'notStarted',
    run: runOf('schedule'),
    isRecorded: true,
    hasUnit,
    why: why('START_FAILED'),
    isLasting,
    engineMs,
  };
};
const unfinished = (hasUnits: boolean): PlanEvent => {
  return { is: 'unfinished', run: runOf('schedule'), hasUnits, isQueued: false };
};

/** The events in the table of the plan, each with an example. */
export const EVENTS: Readonly<Record<string, PlanEvent>> = {
  look: { is: 'look', trigger: 'update' },
  pass: { is: 'pass' },
  hostStarted: { is: 'hostStarted' },
  hostEnds: { is: 'hostEnds' },
  engineLost: { is: 'engineLost', engine: 'process' },
  engineBack: { is: 'engineBack' },
  takeOver: { is: 'takeOver' },
  mayRun: { is: 'mayRun' },
  found: { is: 'found', runId: 'run_1', hasQuery: false, asked: null },
  'found, asked': { is: 'found', runId: 'run_1', hasQuery: false, asked: 'shutdown' },
  gone: { is: 'gone', run: runOf('schedule'), drained: true },
  'gone, undrained': { is: 'gone', run: runOf('schedule'), drained: false },
  unstarted: { is: 'unstarted', run: { ...runOf('schedule'), scheduledAt: NOW - 30_000 } },
  'unstarted, late': { is: 'unstarted', run: runOf('schedule') },
  unfinished: unfinished(true),
  'unfinished, no units': unfinished(false),
  due: { is: 'due', run: runOf('schedule'), unprepared: null },
  'due by hand': { is: 'due', run: runOf('manual'), unprepared: null },
  started: { is: 'started', runId: 'run_1' },
  notStarted: notStarted(false),
  'notStarted, lasting': notStarted(true),
  'notStarted, engine': notStarted(false, 10_000),
  'notStarted, refused': notStarted(false, 10_000, true),
  restart: { is: 'restart' },
  held: { is: 'held' },
  overtime: { is: 'overtime', runId: 'run_1' },
  exited: { is: 'exited', runId: 'run_1' },
  ended: ended('succeeded', true),
  'ended, undrained': ended('failed', false),
};

/** Names that the table has for several states. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  any: Object.keys(STATES),
  'with a program': Object.entries(STATES).flatMap(([name, { runs }]) => (runs.length > 0 ? [name] : [])),
  'any trashed': Object.entries(STATES).flatMap(([name, { bot }]) => (bot.trash !== null ? [name] : [])),
  'any deleted': Object.entries(STATES).flatMap(([name, { bot }]) => (bot.deleting ? [name] : [])),
};
