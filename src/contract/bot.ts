import { z } from 'zod';
import { BotId, JsonObject, Timestamp, visibleText } from './common.ts';
import { LIMITS, VERSION } from './limits.ts';

/** The two bot types (seed, "What the service does"). */
export const BotType = z.enum(['realtime', 'scheduled']);
export type BotType = z.infer<typeof BotType>;

/**
 * States of an instance (wire.md section 3). Realtime: starting -> running -> stopping -> stopped, backing_off after a
 * failure. Scheduled: scheduled <-> running, stopped when disabled. failed: cannot start until something changes.
 */
export const BotStatus = z.enum(['starting', 'running', 'stopping', 'stopped', 'backing_off', 'scheduled', 'failed']);
export type BotStatus = z.infer<typeof BotStatus>;

/** Why an instance is in its state. `code` is stable, `hint` says what to do. */
export const Reason = z.object({ code: z.string(), message: z.string(), hint: z.string().nullable(), at: Timestamp });
export type Reason = z.infer<typeof Reason>;

/** Code of the reason of a run that went well and wrote a result that cannot be read. */
export const RESULT_UNREADABLE = 'RESULT_UNREADABLE';

/** What started a run (experience.md, Runs). `boot` covers a realtime bot started by deploy, enable or host start. */
export const RunTrigger = z.enum(['schedule', 'manual', 'catch_up', 'query', 'deploy', 'restart', 'update', 'boot']);
export type RunTrigger = z.infer<typeof RunTrigger>;

/** Outcome of one execution. `skipped` and `missed` are due times that did not run (wire.md section 11). */
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

/** One execution of a bot. */
export const Run = z.object({
  run_id: z.string(),
  bot_id: BotId,
  version: z.string(),
  trigger: RunTrigger,
  status: RunStatus,
  /** The due time of a scheduled run, else null. */
  slot: Timestamp.nullable(),
  started_at: Timestamp.nullable(),
  ended_at: Timestamp.nullable(),
  duration_ms: z.number().nullable(),
  exit_code: z.number().int().nullable(),
  signal: z.string().nullable(),
  /** What the bot wrote by success, error or result; null when it wrote nothing. */
  result: z.unknown(),
  reason: Reason.nullable(),
});
export type Run = z.infer<typeof Run>;

/** The last run as it stands in an instance record (wire.md section 3). */
export const LastRun = Run.pick({
  run_id: true,
  trigger: true,
  status: true,
  started_at: true,
  ended_at: true,
  exit_code: true,
  signal: true,
  result: true,
});

/** What runs a bot: a container of its own, or a process of the user. */
export const EngineName = z.enum(['docker', 'process']);
export type EngineName = z.infer<typeof EngineName>;

/** Settings of an instance that are not the bot's own configuration (wire.md sections 4 and 11). */
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
    .meta({ description: 'Processors that the bot may use, for example 0.5; engine docker only' }),
  tmp_mb: z.number().int().min(1).max(65_536).optional().meta({ description: 'Size of /tmp; engine docker only' }),
  network: z.enum(['bridge', 'none']).optional().meta({ description: 'none: no network at all; engine docker only' }),
  memory_mb: z.number().int().min(16).max(1_048_576).optional(),
  max_processes: z.number().int().min(1).max(100_000).optional(),
  max_open_files: z.number().int().min(16).max(1_048_576).optional(),
});
export type BotOptions = z.infer<typeof BotOptions>;

/** An instance as every surface returns it (wire.md section 3). Secret config values are replaced by `********`. */
export const Bot = z.object({
  bot_id: BotId,
  name: z.string(),
  type: z.string().meta({ description: '<realtime|scheduled>/<custom bot name>' }),
  version: z.string(),
  schedule: z.string().nullable(),
  config: JsonObject,
  effective_config: JsonObject,
  options: BotOptions,
  enabled: z.boolean(),
  status: BotStatus,
  reason: Reason.nullable(),
  engine: z.string().meta({ description: 'What runs it: docker or process' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  started_at: Timestamp.nullable(),
  /** Next due time of a scheduled bot. */
  next_run_at: Timestamp.nullable(),
  /** When a bot that is backing off is tried again. */
  next_attempt_at: Timestamp.nullable(),
  run_id: z.string().nullable().meta({ description: 'The run going on now' }),
  last_run: LastRun.nullable(),
  restarts: z.number().int(),
  url: z.string(),
});
export type Bot = z.infer<typeof Bot>;

/** Instance name: any characters but control characters (wire.md section 1). */
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
  .meta({ description: 'Five-field cron in UTC; scheduled bots only', examples: ['0 14 * * 1-5'] });

/**
 * Deployment request (seed, "Bot instance"; wire.md section 3). Loose, because the flat form carries the bot's own
 * settings at the top level; which form it is, and unknown keys of the nested one, are decided by bots/instance-request.
 */
export const DeployRequest = z.looseObject({
  name: InstanceName,
  type: InstanceType,
  version: InstanceVersion,
  schedule: Schedule.optional(),
  enabled: z.boolean().optional(),
  options: z.unknown().optional(),
  config: JsonObject.optional(),
});
export type DeployRequest = z.infer<typeof DeployRequest>;

/**
 * Change of an instance: any subset of the deployment request; `type` cannot change. `config` takes the place of the whole
 * config; `config_patch` is a JSON Merge Patch of it (RFC 7396): settings that it does not name stay, null takes one away.
 */
export const UpdateRequest = z.looseObject({
  bot_id: BotId,
  name: InstanceName.optional(),
  type: InstanceType.optional(),
  version: InstanceVersion.optional(),
  schedule: Schedule.optional(),
  enabled: z.boolean().optional(),
  options: z.unknown().optional(),
  config: JsonObject.optional(),
  config_patch: JsonObject.optional(),
});
export type UpdateRequest = z.infer<typeof UpdateRequest>;

/** One thing that is different from before: what an update changed, or what happened around the bot. */
export const BotChange = z.object({
  what: z.enum(['version', 'config', 'schedule', 'options', 'engine', 'host']),
  /** For people; names keys, and values only where they are numbers or switches. */
  message: z.string(),
});
export type BotChange = z.infer<typeof BotChange>;

/** A change of state with its reason: stored, streamed, shown (architecture.md, "One source of truth"). */
export const BotEvent = z.object({
  event_id: z.number().int(),
  bot_id: BotId,
  at: Timestamp,
  kind: z.string().meta({ description: 'deployed, status, run, updated, deleted' }),
  status: BotStatus.nullable(),
  reason: Reason.nullable(),
  run_id: z.string().nullable(),
  /** For `updated`: what is different now; empty for every other kind. */
  changes: z.array(BotChange),
});
export type BotEvent = z.infer<typeof BotEvent>;
