import { z } from 'zod';
import { BotApproval } from './approvals.ts';
import { BotArming } from './arming.ts';
import { BotId, JsonObject, Timestamp, visibleText } from './common.ts';
import { ENGINE_NAMES } from './engine-choices.ts';
import { IsolationException, IsolationLevel } from './isolation.ts';
import { LIMITS, VERSION } from './limits.ts';

/** A realtime bot runs until it is stopped; a scheduled bot runs at its due times. */
export const BotType = z.enum(['realtime', 'scheduled']);
export type BotType = z.infer<typeof BotType>;

/**
 * States of an instance. Realtime: starting -> running -> stopping -> stopped, backing_off after a failure. Scheduled:
 * scheduled <-> running, stopped when disabled. failed: cannot start until something changes.
 */
export const BotStatus = z.enum(['starting', 'running', 'stopping', 'stopped', 'backing_off', 'scheduled', 'failed']);
export type BotStatus = z.infer<typeof BotStatus>;

/** Reason for the state of an instance. `code` is stable, `hint` names the remedy. */
export const Reason = z.object({ code: z.string(), message: z.string(), hint: z.string().nullable(), at: Timestamp });
export type Reason = z.infer<typeof Reason>;

/**
 * Health of an instance, beside its status: a bot that keeps crashing is `running` for a moment after each restart, but not
 * healthy. ok: nothing went wrong. recovering: realtime only; it failed, and has not run for 10 minutes since. failing: it
 * cannot start, or the last run of a scheduled bot failed. crash_looping: it failed three times or more without running for 10
 * minutes; it is `recovering` once it has run for a minute, and needs attention until it is ok.
 */
export const HealthState = z.enum(['ok', 'recovering', 'failing', 'crash_looping']);
export type HealthState = z.infer<typeof HealthState>;

/** The health of an instance, the one definition that every surface shows. */
export const BotHealth = z.object({
  state: HealthState,
  failures: z.number().int().meta({ description: 'Failures since it was last ok, or last changed' }),
  reason: Reason.nullable().meta({ description: 'Why it failed the last time; null while the state is ok' }),
});
export type BotHealth = z.infer<typeof BotHealth>;

/** Reason code of a run that succeeded but wrote an unreadable result. */
export const RESULT_UNREADABLE = 'RESULT_UNREADABLE';

/**
 * Cause of a run. `recovery`: the host, by itself, after the run or start before it failed. `restart`: a person
 * restarted the bot; runs stored by releases without `recovery` have `restart` for both. `update`: a change of the bot.
 * `boot`: a realtime bot that the host or its engine found not running when it came up.
 */
export const RunTrigger = z.enum([
  'schedule',
  'manual',
  'catch_up',
  'query',
  'deploy',
  'restart',
  'recovery',
  'update',
  'boot',
]);
export type RunTrigger = z.infer<typeof RunTrigger>;

/**
 * Outcome of one execution. `skipped`: a due time without a run, whose reason says why, such as OVERLAP or MISSED.
 * `lost`: it ended while no host could see how.
 */
export const RunStatus = z.enum([
  'starting',
  'running',
  'succeeded',
  'failed',
  'stopped',
  'timed_out',
  'skipped',
  'lost',
]);
export type RunStatus = z.infer<typeof RunStatus>;

/**
 * What a run trades with (docs/architecture/ledger.md#modes). `paper`: a version that says it can, without a key in its
 * config. `live`: a person has armed it. `unverified`: the host cannot tell, and counts it like live, but apart.
 * `rehearsal`: an attempt that is no trade.
 */
export const TradeMode = z.enum(['paper', 'live', 'unverified', 'rehearsal']);
export type TradeMode = z.infer<typeof TradeMode>;

/** One execution of a bot. */
export const Run = z.object({
  run_id: z.string(),
  bot_id: BotId,
  version: z.string(),
  trigger: RunTrigger,
  status: RunStatus,
  mode: TradeMode,
  /** The due time of a scheduled run, else null. */
  slot: Timestamp.nullable(),
  started_at: Timestamp.nullable(),
  ended_at: Timestamp.nullable(),
  duration_ms: z.number().nullable(),
  exit_code: z.number().int().nullable(),
  signal: z.string().nullable(),
  /** JSON that the bot wrote with success, error or result; null if it wrote nothing. */
  result: z.unknown(),
  reason: Reason.nullable(),
});
export type Run = z.infer<typeof Run>;

/** The last run, as an instance record shows it. */
export const LastRun = Run.pick({
  run_id: true,
  trigger: true,
  status: true,
  mode: true,
  started_at: true,
  ended_at: true,
  exit_code: true,
  signal: true,
  result: true,
});

/** Name of the engine that runs a bot: a container of its own, or a process of the user. */
export const EngineName = z.enum(ENGINE_NAMES);
export type EngineName = z.infer<typeof EngineName>;

/** Settings of an instance that are not the bot's own configuration. */
export const BotOptions = z.strictObject({
  overlap: z
    .enum(['skip', 'allow'])
    .optional()
    .meta({ description: 'A run due while one is running: skip it or run beside' }),
  catch_up: z.enum(['run_once', 'skip']).optional().meta({ description: 'Due times missed while the host was down' }),
  timeout_sec: z
    .number()
    .int()
    .min(1)
    .max(7 * 86_400)
    .optional()
    .meta({ description: 'Time-out of a scheduled run' }),
  engine: EngineName.optional().meta({
    description: 'What runs the bot. Left out at deploy: what the host chooses; left out in an update: as before',
  }),
  cpus: z
    .number()
    .min(0.05)
    .max(256)
    .optional()
    .meta({ description: 'Processors that the bot may use, for example 0.5; only in a container' }),
  tmp_mb: z.number().int().min(1).max(65_536).optional().meta({ description: 'Size of /tmp; only in a container' }),
  network: z.enum(['bridge', 'none']).optional().meta({ description: 'none: no network at all; only in a container' }),
  memory_mb: z.number().int().min(16).max(1_048_576).optional(),
  max_processes: z.number().int().min(1).max(100_000).optional(),
  max_open_files: z.number().int().min(16).max(1_048_576).optional(),
});
export type BotOptions = z.infer<typeof BotOptions>;

/**
 * What keeps a bot stopped until a person starts it and names this hold: a guard that fired, or a panic. No schedule, restart,
 * update, restore or API key starts a held bot.
 */
export const BotHold = z.object({
  hold_id: z.string().meta({ description: 'Name it as `release` to start the bot' }),
  by: z.enum(['guard', 'panic']),
  since: Timestamp,
  /** Id of the guard; null for a panic. */
  guard_id: z.string().nullable(),
  who: z.string().nullable().meta({ description: 'Who asked for the panic; null for a guard' }),
  message: z.string().meta({ description: 'Why, for people' }),
});
export type BotHold = z.infer<typeof BotHold>;

/** An instance as every surface returns it. Secret config values are replaced by `********`. */
export const Bot = z.object({
  bot_id: BotId,
  name: z.string(),
  type: z.string().meta({ description: '<realtime|scheduled>/<custom bot name>' }),
  version: z.string(),
  schedule: z.string().nullable(),
  timezone: z.string().nullable().meta({
    description: 'Time zone of the schedule, a name of the tz database; null for a realtime bot',
  }),
  config: JsonObject,
  effective_config: JsonObject,
  options: BotOptions,
  enabled: z.boolean(),
  generation: z.number().int().meta({
    description: 'Grows with each change of name, version, schedule, config, options or enabled; see if_generation',
  }),
  status: BotStatus,
  reason: Reason.nullable(),
  health: BotHealth,
  hold: BotHold.nullable().meta({ description: 'Set for a bot that only a person may start' }),
  arming: BotArming.nullable().meta({
    description: 'Whether a person has allowed it to use its live secrets; null for a bot without any',
  }),
  approval: BotApproval.nullable().meta({
    description: 'A change that a key or an assistant asked for and that was not made: it waits for a person',
  }),
  engine: z.string().meta({ description: 'Name of the engine that runs it' }),
  isolation: IsolationLevel.meta({
    description:
      'How far its program is isolated, as it was started; while none runs, how far that engine isolates one on this machine',
  }),
  isolation_exception: IsolationException.nullable().meta({
    description: 'Set for a bot that runs with less isolation than its host demands of new bots',
  }),
  exposure: Reason.nullable().meta({
    description:
      'Set for a running realtime bot that others than its host can reach: it listens on an address that is open to the network, or its query port asks for no token',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  started_at: Timestamp.nullable(),
  /** Next due time of a scheduled bot. */
  next_run_at: Timestamp.nullable(),
  /** Next start of a bot that is backing off. */
  next_attempt_at: Timestamp.nullable(),
  run_id: z.string().nullable().meta({ description: 'The run going on now' }),
  last_run: LastRun.nullable(),
  restarts: z.number().int(),
  url: z.string(),
});
export type Bot = z.infer<typeof Bot>;

/** The answer to an update: the instance as it is now. `waiting`: nothing was changed yet, and `approval` says what waits. */
export const UpdatedBot = Bot.extend({ outcome: z.enum(['changed', 'waiting']) });
export type UpdatedBot = z.infer<typeof UpdatedBot>;

/** Instance name: any characters but control characters. */
export const InstanceName = visibleText(LIMITS.instanceNameChars).meta({
  description: 'Name of the instance, unique per user',
  examples: ['sma-aapl'],
});

const InstanceType = z
  .string()
  .regex(
    /^(realtime|scheduled)\/[a-z0-9][a-z0-9-]*[a-z0-9]$/,
    'type must read realtime/<custom bot> or scheduled/<custom bot>',
  )
  .meta({ description: '<realtime|scheduled>/<custom bot name>', examples: ['realtime/sma-crossover'] });

const InstanceVersion = z.string().regex(VERSION, 'version must be three numbers, for example "1.0.0"');

const Schedule = z
  .string()
  .nullable()
  .meta({ description: 'Five-field cron by the clock of `timezone`; scheduled bots only', examples: ['0 14 * * 1-5'] });

/** Of any kind here: in the flat form it may be a setting of the bot. */
const Timezone = z.unknown().meta({
  description:
    'Time zone of the schedule, a name of the tz database; UTC without it. In the flat form a setting of the bot',
  examples: ['Europe/Berlin'],
});

const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
  .max(LIMITS.deployKeyChars)
  .meta({
    description: 'Makes a repeated request answer with the bot that the first one made; remembered for 7 days',
    examples: ['2f1c0b8e-6f0d-4a55-9d0c-5e2f2a0a6c11'],
  });

/** The generation of the bot that the caller has seen; the change is refused if it is another by now. */
export const IfGeneration = z.number().int().min(1).meta({
  description:
    'Generation of the bot that you have read: the change is refused (STALE_GENERATION) if it is another now',
});

/**
 * Deployment request. Loose, because the flat form carries the bot's own settings at the top level;
 * bots/instance-request tells the forms apart and judges unknown keys of the nested one.
 */
export const DeployRequest = z.looseObject({
  name: InstanceName,
  type: InstanceType,
  version: InstanceVersion,
  schedule: Schedule.optional(),
  timezone: Timezone.optional(),
  enabled: z.boolean().optional(),
  options: z.unknown().optional(),
  config: JsonObject.optional(),
  idempotency_key: IdempotencyKey.optional(),
  guards_of: BotId.optional().meta({
    description:
      'The bot gets the guards of this one before it starts, without what they have seen, and its network mode',
  }),
});
export type DeployRequest = z.infer<typeof DeployRequest>;

/**
 * Change of an instance: any subset of the deployment request except `type`. `config` replaces the whole config;
 * `config_patch` is a JSON Merge Patch (RFC 7396): settings it does not name stay, null removes one.
 */
export const UpdateRequest = z.looseObject({
  bot_id: BotId,
  name: InstanceName.optional(),
  type: InstanceType.optional(),
  version: InstanceVersion.optional(),
  schedule: Schedule.optional(),
  timezone: Timezone.optional(),
  enabled: z.boolean().optional(),
  options: z.unknown().optional(),
  config: JsonObject.optional(),
  config_patch: JsonObject.optional(),
  if_generation: IfGeneration.optional(),
});
export type UpdateRequest = z.infer<typeof UpdateRequest>;

/** One difference made by an update, or by an event around the bot. */
export const BotChange = z.object({
  what: z.enum(['version', 'config', 'schedule', 'options', 'engine', 'host', 'approval']),
  /** For people; names keys, and values only where they are numbers or switches. */
  message: z.string(),
});
export type BotChange = z.infer<typeof BotChange>;

/**
 * Kind of change. `run`: a run ended; `exposed`: others than the host can reach the bot; `duplicate_order`: it has placed an
 * order for a decision that it had placed another one for (docs/ledger.md#orders); `held`: only a person may start it;
 * `egress_blocked`: the gate has refused a connection (docs/network.md); `network_lost`, `network_back`: its program does not find the
 * gate, or finds it again; `guard_fired`: a guard did; `guard_unknown`: a guard cannot be computed;
 * `armed`, `disarmed`, `arming_ends`: of its arming (docs/arming.md); `change_waits`, `change_dropped`: of what
 * a key asked for and a person has to approve; `deleted`, `restored`: put into the trash, and taken out again (docs/trash.md).
 */
export const BotEventKind = z.enum([
  'deployed',
  'status',
  'run',
  'exposed',
  'duplicate_order',
  'egress_blocked',
  'network_lost',
  'network_back',
  'updated',
  'deleted',
  'restored',
  'held',
  'guard_fired',
  'guard_unknown',
  'armed',
  'disarmed',
  'arming_ends',
  'change_waits',
  'change_dropped',
]);
export type BotEventKind = z.infer<typeof BotEventKind>;

/** A change of state with its reason. The host stores it with the change itself and streams it afterwards. */
export const BotEvent = z.object({
  event_id: z.number().int(),
  bot_id: BotId,
  at: Timestamp,
  kind: z.string().meta({
    description:
      'deployed, status, run, exposed, duplicate_order, egress_blocked, network_lost, network_back, updated, deleted, restored, held, guard_fired, guard_unknown, armed, disarmed, arming_ends, change_waits, change_dropped',
  }),
  status: BotStatus.nullable(),
  health: HealthState.nullable().meta({ description: 'Null for events that an earlier release wrote' }),
  reason: Reason.nullable(),
  run_id: z.string().nullable(),
  /** For `updated`: the differences; empty for every other kind. */
  changes: z.array(BotChange),
});
export type BotEvent = z.infer<typeof BotEvent>;
