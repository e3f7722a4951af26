import { z } from 'zod';
import { ACCOUNT_OPERATIONS } from './account-operations.ts';
import { ALARM_OPERATIONS } from './alarm-operations.ts';
import { APPROVAL_OPERATIONS } from './approval-operations.ts';
import { ARMING_OPERATIONS } from './arming-operations.ts';
import { Bot, BotEvent, BotEventKind, DeployRequest, Run, UpdatedBot, UpdateRequest } from './bot.ts';
import { BotActivities } from './bot-activity.ts';
import { BotChangeBy, BotEventBy } from './bot-actor.ts';
import { BotStats } from './bot-stats.ts';
import { CATALOG_OPERATIONS } from './catalog-operations.ts';
import { BotId, Timestamp } from './common.ts';
import { BotDiagnosis, RunFailures } from './failure.ts';
import { GUARD_OPERATIONS } from './guard-operations.ts';
import { INTERPRETER_OPERATIONS } from './interpreter-operations.ts';
import { BotWithLedger } from './ledger.ts';
import { LEDGER_OPERATIONS } from './ledger-operations.ts';
import { LIMITS } from './limits.ts';
import { NETWORK_OPERATIONS } from './network-operations.ts';
import { call, type Operation, stream } from './operation.ts';
import { done, list, NO_BOT, none, ofBot, ofBotChange, page } from './operation-fields.ts';
import { PIN_OPERATIONS } from './pin-operations.ts';
import { PROJECT_OPERATIONS } from './project-operations.ts';
import { QueryAnswer, QueryRequest } from './query.ts';
import { SECRET_OPERATIONS } from './secret-operations.ts';
import { PanicAnswer, PanicRequest, StartRequest } from './start-and-panic.ts';
import { StateList, StateValue } from './state.ts';
import { STORAGE_OPERATIONS } from './storage-operations.ts';
import {
  LiveBatch,
  LiveQuery,
  LogGroups,
  LogGroupsQuery,
  LogPage,
  LogQuery,
  LogSummary,
  MetricEventsPage,
  MetricEventsQuery,
  MetricOverview,
  SeriesData,
  SeriesQuery,
} from './telemetry.ts';
import { TRASH_OPERATIONS } from './trash-operations.ts';

export type { Access, Operation, OperationKind } from './operation.ts';

/** Rows of the operation table: bots, their runs, logs, metrics and state. */
const BOT_OPERATIONS = {
  'bots.list': call(['GET', '/api/v1/bots'], 'read', 'List bots', none, list(Bot), {
    namedBots: true,
    answer: 'bot_list',
  }),
  'bots.get': call(['GET', '/api/v1/bots/{bot_id}'], 'read', 'One bot', ofBot, BotWithLedger, { errors: NO_BOT }),
  'bots.stats': call(['GET', '/api/v1/bots/{bot_id}/stats'], 'read', 'What a bot uses now', ofBot, BotStats, {
    errors: NO_BOT,
  }),
  'bots.activity': call(
    ['GET', '/api/v1/activity'],
    'read',
    'Errors, warnings and restarts of the last hour, and the symbols of each bot',
    none,
    BotActivities,
    { namedBots: true },
  ),
  'bots.deploy': call(['POST', '/api/v1/bots'], 'operate', 'Deploy a bot; this starts it', DeployRequest, Bot, {
    target: 'name',
    botChange: 'deploy',
    cost: 'heavy',
    status: 201,
    errors: [
      'CUSTOM_BOT_NOT_FOUND',
      'INVALID_CONFIG',
      'INVALID_SCHEDULE',
      'NAME_TAKEN',
      'DELETED_BY_PERSON',
      'IDEMPOTENCY_CONFLICT',
      'ENGINE_UNAVAILABLE',
      'ISOLATION_REQUIRED',
      'INTERPRETER_NOT_ALLOWED',
      'SECRET_NOT_FOUND',
      'SECRETS_SEALED',
      'SESSION_REQUIRED',
    ],
    audit: ['deployed', 'deploy', '[bot {name}|a bot][ {version}]'],
  }),
  'bots.update': call(
    ['PATCH', '/api/v1/bots/{bot_id}'],
    'operate',
    'Change config, version, schedule, options or name; what a key asks of an armed bot waits for a person',
    UpdateRequest,
    UpdatedBot,
    {
      effect: 'destructive',
      botChange: 'update',
      cost: 'heavy',
      errors: [
        'BOT_NOT_FOUND',
        'CUSTOM_BOT_NOT_FOUND',
        'INVALID_CONFIG',
        'INVALID_SCHEDULE',
        'NAME_TAKEN',
        'DELETED_BY_PERSON',
        'STALE_GENERATION',
        'BOT_HELD',
        'ENGINE_UNAVAILABLE',
        'ISOLATION_REQUIRED',
        'INTERPRETER_NOT_ALLOWED',
        'SECRET_NOT_FOUND',
        'SECRETS_SEALED',
        'SESSION_REQUIRED',
        'NEEDS_ARMING',
        'PIN_REQUIRED',
        'PIN_RESET',
      ],
      audit: ['changed', 'change', '[bot {bot}|a bot][ to version {version}][ to the name {name}]'],
    },
  ),
  'bots.delete': call(
    ['DELETE', '/api/v1/bots/{bot_id}'],
    'operate',
    'Stop a bot and put it into the trash, from which it can be restored for 7 days',
    ofBotChange,
    z.object({
      bot_id: BotId,
      deleted: z.literal(true),
      restorable_until: Timestamp.meta({ description: 'Until then `trash.restore` brings it back' }),
    }),
    {
      effect: 'destructive',
      botChange: 'delete',
      docs: 'docs/trash.md#what-deleting-does',
      errors: ['BOT_NOT_FOUND', 'BOT_RUNNING', 'STALE_GENERATION'],
      audit: ['deleted', 'delete', '[bot {bot}|a bot]'],
    },
  ),
  'bots.start': call(['POST', '/api/v1/bots/{bot_id}/start'], 'operate', 'Enable a bot', StartRequest, Bot, {
    botChange: 'start',
    errors: [
      'BOT_NOT_FOUND',
      'BOT_HELD',
      'HOLD_UNREAD',
      'STALE_GENERATION',
      'SESSION_REQUIRED',
      'ISOLATION_REQUIRED',
      'NEEDS_ARMING',
    ],
    audit: ['started', 'start', '[bot {bot}|a bot]'],
  }),
  'bots.panic': call(
    ['POST', '/api/v1/panic'],
    'operate',
    'Stop bots at once and hold them until a person starts each again; without names all in reach',
    PanicRequest,
    PanicAnswer,
    {
      effect: 'destructive',
      namedBots: true,
      docs: 'docs/guards.md#panic',
      errors: NO_BOT,
      audit: ['stopped', 'stop', 'bots by a panic'],
    },
  ),
  'bots.stop': call(
    ['POST', '/api/v1/bots/{bot_id}/stop'],
    'operate',
    'Disable a bot; it stops and stays stopped',
    ofBotChange,
    Bot,
    {
      effect: 'destructive',
      botChange: 'stop',
      errors: ['BOT_NOT_FOUND', 'STALE_GENERATION'],
      audit: ['stopped', 'stop', '[bot {bot}|a bot]'],
    },
  ),
  'bots.restart': call(['POST', '/api/v1/bots/{bot_id}/restart'], 'operate', 'Restart a running bot', ofBot, Bot, {
    effect: 'destructive',
    botChange: 'restart',
    errors: ['BOT_NOT_FOUND', 'BOT_NOT_RUNNING', 'INVALID_REQUEST'],
    audit: ['restarted', 'restart', '[bot {bot}|a bot]'],
  }),
  'bots.run': call(['POST', '/api/v1/bots/{bot_id}/run'], 'operate', 'Run a scheduled bot now', ofBot, Run, {
    effect: 'destructive',
    botChange: 'run',
    status: 201,
    errors: ['BOT_NOT_FOUND', 'BOT_HELD', 'BOT_RUNNING', 'INVALID_REQUEST', 'ISOLATION_REQUIRED'],
    audit: ['ran', 'run', '[bot {bot}|a bot]'],
  }),
  'bots.query': call(['POST', '/bot/{bot_id}/query'], 'read', 'Ask a bot', QueryRequest, QueryAnswer, {
    effect: 'read',
    docs: 'docs/api.md#query-a-bot',
    bodyLimit: LIMITS.queryRequestBytes,
    answer: 'bot',
    errors: [
      'BOT_NOT_FOUND',
      'QUERY_PATH_NOT_FOUND',
      'BOT_NOT_RUNNING',
      'QUERY_FAILED',
      'QUERY_TIMEOUT',
      'ENGINE_UNAVAILABLE',
      'ISOLATION_REQUIRED',
      'INTERPRETER_NOT_ALLOWED',
      'INTERPRETER_UNUSABLE',
      'COPIED',
    ],
  }),
  'bots.diagnosis': call(
    ['GET', '/api/v1/bots/{bot_id}/diagnosis'],
    'read',
    'Why a bot is not well, or why one of its runs failed: reason, lines that show it, changes, what to do',
    z.strictObject({
      bot_id: BotId,
      run_id: z.string().optional().meta({ description: 'This run; default: the last' }),
    }),
    BotDiagnosis,
    { errors: ['BOT_NOT_FOUND', 'RUN_NOT_FOUND'] },
  ),
  'bots.events': call(
    ['GET', '/api/v1/bots/{bot_id}/events'],
    'read',
    'Changes of state with their reasons, and who asked for them; newest first',
    z.strictObject({
      bot_id: BotId,
      ...page,
      before: z.number().int().optional().meta({ description: 'Only events with a smaller event_id' }),
      kind: BotEventKind.optional().meta({ description: 'Only events of this kind' }),
    }),
    list(BotEventBy),
    { errors: NO_BOT },
  ),
  'bots.changes': call(
    ['GET', '/api/v1/bots/{bot_id}/changes'],
    'read',
    'What was changed, started and stopped on request, and by whom; newest first',
    z.strictObject({ bot_id: BotId, ...page }),
    list(BotChangeBy),
    { errors: NO_BOT },
  ),
  'bots.stream': stream(
    ['GET', '/api/v1/events'],
    'read',
    "Changes of state of the caller's bots, live",
    z.strictObject({ after: z.number().int().optional() }),
    BotEvent,
    { namedBots: true },
  ),

  // Runs
  'runs.list': call(
    ['GET', '/api/v1/bots/{bot_id}/runs'],
    'read',
    'Runs of a bot, newest first',
    z.strictObject({ bot_id: BotId, ...page, before: z.string().optional() }),
    list(Run),
    { errors: NO_BOT },
  ),
  'runs.get': call(
    ['GET', '/api/v1/bots/{bot_id}/runs/{run_id}'],
    'read',
    'One run',
    z.strictObject({ bot_id: BotId, run_id: z.string() }),
    Run,
    { errors: ['BOT_NOT_FOUND', 'RUN_NOT_FOUND'] },
  ),
  'runs.failures': call(
    ['GET', '/api/v1/bots/{bot_id}/failures'],
    'read',
    'Why the newest runs of a bot failed, by cause',
    ofBot,
    RunFailures,
    { errors: NO_BOT },
  ),

  // Logs and metrics
  'logs.get': call(['GET', '/api/v1/bots/{bot_id}/logs'], 'read', 'Log lines', LogQuery, LogPage, { errors: NO_BOT }),
  'logs.summary': call(
    ['GET', '/api/v1/bots/{bot_id}/logs/summary'],
    'read',
    'Counts by level, the last error, and why the bot is not well',
    ofBot,
    LogSummary,
    { errors: NO_BOT },
  ),
  'logs.groups': call(
    ['GET', '/api/v1/bots/{bot_id}/logs/groups'],
    'read',
    'Warnings and errors, those that say the same as one, with counts and times',
    LogGroupsQuery,
    LogGroups,
    { errors: NO_BOT },
  ),
  'logs.stream': stream(
    ['GET', '/api/v1/bots/{bot_id}/stream'],
    'read',
    'Log lines and metrics, live, with resume',
    LiveQuery,
    LiveBatch,
    { errors: NO_BOT },
  ),
  'metrics.get': call(
    ['GET', '/api/v1/bots/{bot_id}/metrics'],
    'read',
    'Metric types with their newest event, and numeric series',
    ofBot,
    MetricOverview,
    { errors: NO_BOT },
  ),
  'metrics.list': call(
    ['GET', '/api/v1/bots/{bot_id}/metrics/events'],
    'read',
    'Metrics as emitted',
    MetricEventsQuery,
    MetricEventsPage,
    { errors: NO_BOT },
  ),
  'metrics.series': call(
    ['GET', '/api/v1/bots/{bot_id}/metrics/series'],
    'read',
    'A numeric series, downsampled',
    SeriesQuery,
    SeriesData,
    { errors: NO_BOT },
  ),

  // State
  'state.list': call(['GET', '/api/v1/bots/{bot_id}/state'], 'read', 'State keys with sizes', ofBot, StateList, {
    errors: NO_BOT,
  }),
  'state.get': call(
    ['GET', '/api/v1/bots/{bot_id}/state/{key}'],
    'read',
    'Value of a state key',
    z.strictObject({ bot_id: BotId, key: z.string() }),
    StateValue,
    { errors: ['BOT_NOT_FOUND', 'STATE_KEY_NOT_FOUND'] },
  ),
  'state.set': call(
    ['PUT', '/api/v1/bots/{bot_id}/state/{key}'],
    'operate',
    'Set a state key of a bot that is not running',
    z.strictObject({ bot_id: BotId, key: z.string(), value: z.unknown() }),
    StateValue,
    {
      effect: 'destructive',
      bodyLimit: LIMITS.stateValueBytes + 1024,
      errors: ['BOT_NOT_FOUND', 'BOT_RUNNING', 'SESSION_REQUIRED', 'TOO_LARGE'],
      audit: ['set', 'set', '[state key {key}|a state key][ of bot {bot}]'],
    },
  ),
  'state.delete': call(
    ['DELETE', '/api/v1/bots/{bot_id}/state/{key}'],
    'operate',
    'Remove a state key of a bot that is not running',
    z.strictObject({ bot_id: BotId, key: z.string() }),
    done,
    {
      effect: 'destructive',
      errors: ['BOT_NOT_FOUND', 'BOT_RUNNING', 'SESSION_REQUIRED', 'STATE_KEY_NOT_FOUND'],
      audit: ['removed', 'remove', '[state key {key}|a state key][ of bot {bot}]'],
    },
  ),
} as const satisfies Record<string, Operation>;

/**
 * The operation table. Everything that a person or program can ask of a host is listed here once: HTTP routes and their
 * validation, OpenAPI, the clients and the tools for assistants are derived from it, and `api/` holds one function for
 * each row. Nothing without a row can be reached.
 */
export const OPERATIONS = {
  ...ACCOUNT_OPERATIONS,
  ...STORAGE_OPERATIONS,
  ...INTERPRETER_OPERATIONS,
  ...ALARM_OPERATIONS,
  ...SECRET_OPERATIONS,
  ...ARMING_OPERATIONS,
  ...APPROVAL_OPERATIONS,
  ...GUARD_OPERATIONS,
  ...PIN_OPERATIONS,
  ...NETWORK_OPERATIONS,
  ...CATALOG_OPERATIONS,
  ...BOT_OPERATIONS,
  ...TRASH_OPERATIONS,
  ...LEDGER_OPERATIONS,
  ...PROJECT_OPERATIONS,
} as const satisfies Record<string, Operation>;

export type Operations = typeof OPERATIONS;
export type OperationName = keyof Operations;
/** Input as a caller sends it, before validation. */
export type Input<N extends OperationName> = z.input<Operations[N]['input']>;
/** Input as a handler gets it, after validation. */
export type Parsed<N extends OperationName> = z.output<Operations[N]['input']>;
/** The answer of a call, or one event of a stream. */
export type Output<N extends OperationName> = z.output<Operations[N]['output']>;
type NameOf<Part> = { [N in OperationName]: Operations[N] extends Part ? N : never }[OperationName];
export type CallName = NameOf<{ readonly kind: 'call' }>;
/** Calls that leave everything as it was. */
export type ReadName = NameOf<{ readonly kind: 'call'; readonly effect: 'read' }>;
/** Calls that do something. */
export type ChangeName = Exclude<CallName, ReadName>;
export type StreamName = NameOf<{ readonly kind: 'stream' }>;
export type UploadName = NameOf<{ readonly kind: 'upload' }>;
export type DownloadName = NameOf<{ readonly kind: 'download' }>;
