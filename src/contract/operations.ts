import { z } from 'zod';
import {
  ApiKey,
  AuditEntry,
  AuthStatus,
  DeviceCode,
  DevicePoll,
  KeyScope,
  LoginLink,
  NewApiKey,
  Role,
  Session,
  User,
} from './account.ts';
import { Bot, BotEvent, DeployRequest, Run, UpdateRequest } from './bot.ts';
import { BotStats } from './bot-stats.ts';
import { BotId, JsonObject } from './common.ts';
import { CustomBotSummary, CustomBotVersion, FileProblem, Runtime } from './custom-bot.ts';
import { BotDiagnosis } from './failure.ts';
import { HostInfo, ImageInfo } from './host.ts';
import { LIMITS } from './limits.ts';
import { call, type Operation, stream, upload } from './operation.ts';
import { PROJECT_OPERATIONS } from './project-operations.ts';
import { QueryAnswer, QueryRequest } from './query.ts';
import { PublishedSample, Sample } from './sample.ts';
import { StateList, StateValue } from './state.ts';
import {
  LiveBatch,
  LiveQuery,
  LogPage,
  LogQuery,
  LogSummary,
  MetricEventsPage,
  MetricEventsQuery,
  MetricOverview,
  SeriesData,
  SeriesQuery,
} from './telemetry.ts';

export type { Access, Operation, OperationKind } from './operation.ts';

/**
 * The operation table (architecture.md, decision 4). Everything a person or program can ask of a host stands here once:
 * HTTP routes and their validation, OpenAPI, the clients and the tools for assistants are derived from it, and api/
 * holds one function per row. A row that is not here cannot be reached.
 */

const none = z.strictObject({});
const ofBot = z.strictObject({ bot_id: BotId });
const list = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) });
const done = z.object({ ok: z.literal(true) });
const page = { limit: z.number().int().min(1).max(LIMITS.logsMax).optional() };
const customBotName = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Name of the custom bot', examples: ['sma-crossover'] });
const version = z.string().optional().meta({ description: 'Version; default: the highest' });
const password = z.string().min(10).max(1000);
const userName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'a user name is 1 to 63 of a-z 0-9 . _ -, and starts with a letter or digit');

const NO_BOT = ['BOT_NOT_FOUND'] as const;
const NO_CUSTOM_BOT = ['CUSTOM_BOT_NOT_FOUND'] as const;

export const OPERATIONS = {
  // Host and account
  'host.health': call(['GET', '/healthz'], 'open', 'Is the host up', none, z.object({ status: z.literal('ok') })),
  'host.get': call(['GET', '/api/v1/host'], 'read', 'Version, engines, address and counts of the host', none, HostInfo),
  'images.list': call(
    ['GET', '/api/v1/images'],
    'read',
    'The images in which bots run, and how far one that is being fetched has come',
    none,
    list(ImageInfo),
    { errors: ['ENGINE_UNAVAILABLE'] },
  ),
  'images.pull': call(
    ['POST', '/api/v1/images/{runtime}/pull'],
    'operate',
    'Begin to fetch the image of a runtime; images.list tells how far it is',
    z.strictObject({ runtime: Runtime }),
    ImageInfo,
    { errors: ['ENGINE_UNAVAILABLE'] },
  ),
  'host.stop': call(
    ['POST', '/api/v1/host/stop'],
    'owner',
    'Stop the host; bots are ended or left running',
    z.strictObject({ leave_bots: z.boolean().optional() }),
    done,
  ),
  'auth.status': call(['GET', '/api/v1/auth'], 'read', 'Check the key and tell whose it is', none, AuthStatus),
  'auth.login': call(
    ['POST', '/api/v1/auth/login'],
    'open',
    'Log in with user name and password',
    z.strictObject({ name: z.string().max(100), password: z.string().max(1000) }),
    Session,
    { errors: ['INVALID_CREDENTIALS'] },
  ),
  'auth.link': call(
    ['POST', '/api/v1/auth/link'],
    'write',
    'Make a link that logs a browser in once, as the one who asks',
    none,
    LoginLink,
  ),
  'auth.enter': call(
    ['POST', '/api/v1/auth/enter'],
    'open',
    'Log in with the ticket of such a link',
    z.strictObject({ ticket: z.string().max(200) }),
    Session,
    { errors: ['INVALID_CREDENTIALS'] },
  ),
  'auth.logout': call(['POST', '/api/v1/auth/logout'], 'read', 'End the session that asks', none, done),
  'auth.device_start': call(
    ['POST', '/api/v1/auth/device'],
    'open',
    'Start a log-in by device code',
    z.strictObject({ client: z.string().min(1).max(100) }),
    DeviceCode,
  ),
  'auth.device_poll': call(
    ['POST', '/api/v1/auth/device/poll'],
    'open',
    'Ask whether the device code was approved',
    z.strictObject({ device_code: z.string().max(200) }),
    DevicePoll,
    { errors: ['INVALID_CREDENTIALS'] },
  ),
  'auth.device_approve': call(
    ['POST', '/api/v1/auth/device/approve'],
    'write',
    'Approve a device code; makes a key for that client',
    z.strictObject({ user_code: z.string().max(20) }),
    done,
    { errors: ['INVALID_CREDENTIALS'] },
  ),
  'keys.list': call(['GET', '/api/v1/keys'], 'read', 'List API keys', none, list(ApiKey)),
  'keys.get': call(
    ['GET', '/api/v1/keys/{key_id}'],
    'read',
    'One API key',
    z.strictObject({ key_id: z.string() }),
    ApiKey,
    { errors: ['KEY_NOT_FOUND'] },
  ),
  'keys.create': call(
    ['POST', '/api/v1/keys'],
    'write',
    'Make an API key; it is shown once',
    z.strictObject({
      name: z.string().min(1).max(100),
      scope: KeyScope.optional(),
      bots: z
        .array(BotId)
        .min(1)
        .max(100)
        .optional()
        .meta({ description: 'Only these bots can be reached with the key' }),
      extended: z.boolean().optional().meta({ description: 'The key may use the tools of /mcp/extended' }),
      expires_in_days: z.number().int().min(1).max(3650).optional(),
    }),
    NewApiKey,
    { status: 201, errors: NO_BOT },
  ),
  'keys.delete': call(
    ['DELETE', '/api/v1/keys/{key_id}'],
    'write',
    'Revoke an API key',
    z.strictObject({ key_id: z.string() }),
    done,
    { errors: ['KEY_NOT_FOUND'] },
  ),
  'users.list': call(['GET', '/api/v1/users'], 'owner', 'List users', none, list(User)),
  'users.get': call(
    ['GET', '/api/v1/users/{user_id}'],
    'owner',
    'One user',
    z.strictObject({ user_id: z.string() }),
    User,
    { errors: ['USER_NOT_FOUND'] },
  ),
  'users.create': call(
    ['POST', '/api/v1/users'],
    'owner',
    'Add a user',
    z.strictObject({ name: userName, password, role: Role.optional() }),
    User,
    { status: 201, errors: ['NAME_TAKEN'] },
  ),
  'users.update': call(
    ['PATCH', '/api/v1/users/{user_id}'],
    'owner',
    'Change password or role of a user',
    z.strictObject({ user_id: z.string(), password: password.optional(), role: Role.optional() }),
    User,
    { errors: ['USER_NOT_FOUND'] },
  ),
  'users.delete': call(
    ['DELETE', '/api/v1/users/{user_id}'],
    'owner',
    'Remove a user that has no bots left',
    z.strictObject({ user_id: z.string() }),
    done,
    { errors: ['USER_NOT_FOUND', 'BOT_RUNNING'] },
  ),
  'audit.list': call(
    ['GET', '/api/v1/audit'],
    'read',
    'What was done with this account',
    z.strictObject({ ...page, before: z.number().int().optional() }),
    list(AuditEntry),
  ),

  // Custom bots
  'custom_bots.list': call(
    ['GET', '/api/v1/custom-bots'],
    'read',
    'List published custom bots',
    none,
    list(CustomBotSummary),
  ),
  'custom_bots.get': call(
    ['GET', '/api/v1/custom-bots/{name}'],
    'read',
    'One version of a custom bot with its readme',
    z.strictObject({ name: customBotName, version }),
    CustomBotVersion,
    { errors: NO_CUSTOM_BOT },
  ),
  'custom_bots.schema': call(
    ['GET', '/api/v1/custom-bots/{name}/schema'],
    'read',
    'JSON Schema of the configuration',
    z.strictObject({ name: customBotName, version }),
    z.object({ name: z.string(), version: z.string(), schema: JsonObject }),
    { errors: NO_CUSTOM_BOT },
  ),
  'custom_bots.publish': upload(
    ['POST', '/api/v1/custom-bots'],
    'operate',
    'Publish a version from a package (tar.gz body)',
    none,
    z.object({ custom_bot: CustomBotVersion, created: z.boolean(), warnings: z.array(FileProblem) }),
    { status: 201, errors: ['INVALID_PACKAGE', 'VERSION_EXISTS', 'TOO_LARGE'] },
  ),
  'custom_bots.validate': call(
    ['POST', '/api/v1/custom-bots/validate'],
    'read',
    'Check bot-config.yaml and bot-schema.json',
    z.strictObject({ config_yaml: z.string(), schema_json: z.string().optional() }),
    z.object({ valid: z.boolean(), problems: z.array(FileProblem), warnings: z.array(FileProblem) }),
  ),
  'custom_bots.delete': call(
    ['DELETE', '/api/v1/custom-bots/{name}/versions/{version}'],
    'operate',
    'Remove a version that no bot uses',
    z.strictObject({ name: customBotName, version: z.string() }),
    done,
    { errors: ['CUSTOM_BOT_NOT_FOUND', 'VERSION_IN_USE'] },
  ),

  'samples.list': call(
    ['GET', '/api/v1/samples'],
    'read',
    'Bots that come with the product, and whether this machine can run them',
    none,
    list(Sample),
  ),
  'samples.publish': call(
    ['POST', '/api/v1/samples/{name}/publish'],
    'operate',
    'Publish a sample; answers with the request that deploys it against the offline price feed',
    z.strictObject({ name: customBotName }),
    PublishedSample,
    { status: 201, errors: ['CUSTOM_BOT_NOT_FOUND', 'INVALID_PACKAGE', 'VERSION_EXISTS'] },
  ),

  // Bots
  'bots.list': call(['GET', '/api/v1/bots'], 'read', 'List bots', none, list(Bot)),
  'bots.get': call(['GET', '/api/v1/bots/{bot_id}'], 'read', 'One bot', ofBot, Bot, { errors: NO_BOT }),
  'bots.stats': call(['GET', '/api/v1/bots/{bot_id}/stats'], 'read', 'What a bot uses now', ofBot, BotStats, {
    errors: NO_BOT,
  }),
  'bots.deploy': call(['POST', '/api/v1/bots'], 'operate', 'Deploy a bot; this starts it', DeployRequest, Bot, {
    status: 201,
    errors: ['CUSTOM_BOT_NOT_FOUND', 'INVALID_CONFIG', 'INVALID_SCHEDULE', 'NAME_TAKEN', 'ENGINE_UNAVAILABLE'],
  }),
  'bots.update': call(
    ['PATCH', '/api/v1/bots/{bot_id}'],
    'operate',
    'Change config, version, schedule, options or name',
    UpdateRequest,
    Bot,
    {
      errors: [
        'BOT_NOT_FOUND',
        'CUSTOM_BOT_NOT_FOUND',
        'INVALID_CONFIG',
        'INVALID_SCHEDULE',
        'NAME_TAKEN',
        'ENGINE_UNAVAILABLE',
      ],
    },
  ),
  'bots.delete': call(
    ['DELETE', '/api/v1/bots/{bot_id}'],
    'operate',
    'Stop a bot and remove everything of it',
    ofBot,
    z.object({ bot_id: BotId, deleted: z.literal(true) }),
    { errors: NO_BOT },
  ),
  'bots.start': call(['POST', '/api/v1/bots/{bot_id}/start'], 'operate', 'Enable a bot', ofBot, Bot, {
    errors: NO_BOT,
  }),
  'bots.stop': call(
    ['POST', '/api/v1/bots/{bot_id}/stop'],
    'operate',
    'Disable a bot; it stops and stays stopped',
    ofBot,
    Bot,
    { errors: NO_BOT },
  ),
  'bots.restart': call(['POST', '/api/v1/bots/{bot_id}/restart'], 'operate', 'Restart a running bot', ofBot, Bot, {
    errors: ['BOT_NOT_FOUND', 'BOT_NOT_RUNNING', 'INVALID_REQUEST'],
  }),
  'bots.run': call(['POST', '/api/v1/bots/{bot_id}/run'], 'operate', 'Run a scheduled bot now', ofBot, Run, {
    status: 201,
    errors: ['BOT_NOT_FOUND', 'BOT_RUNNING', 'INVALID_REQUEST'],
  }),
  'bots.query': call(['POST', '/bot/{bot_id}/query'], 'read', 'Ask a bot', QueryRequest, QueryAnswer, {
    errors: [
      'BOT_NOT_FOUND',
      'QUERY_PATH_NOT_FOUND',
      'BOT_NOT_RUNNING',
      'QUERY_FAILED',
      'QUERY_TIMEOUT',
      'ENGINE_UNAVAILABLE',
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
    'Changes of state with their reasons, newest first',
    z.strictObject({ bot_id: BotId, ...page, before: z.number().int().optional() }),
    list(BotEvent),
    { errors: NO_BOT },
  ),
  'bots.stream': stream(
    ['GET', '/api/v1/events'],
    'read',
    "Changes of state of the caller's bots, live",
    z.strictObject({ after: z.number().int().optional() }),
    BotEvent,
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
    'A numeric series, thinned',
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
    { errors: ['BOT_NOT_FOUND', 'BOT_RUNNING', 'TOO_LARGE'] },
  ),
  'state.delete': call(
    ['DELETE', '/api/v1/bots/{bot_id}/state/{key}'],
    'operate',
    'Remove a state key of a bot that is not running',
    z.strictObject({ bot_id: BotId, key: z.string() }),
    done,
    { errors: ['BOT_NOT_FOUND', 'BOT_RUNNING', 'STATE_KEY_NOT_FOUND'] },
  ),

  ...PROJECT_OPERATIONS,
} as const satisfies Record<string, Operation>;

export type Operations = typeof OPERATIONS;
export type OperationName = keyof Operations;
/** What a caller sends. */
export type Input<N extends OperationName> = z.input<Operations[N]['input']>;
/** What a handler gets, after validation. */
export type Parsed<N extends OperationName> = z.output<Operations[N]['input']>;
/** What a call answers, or one event of a stream. */
export type Output<N extends OperationName> = z.output<Operations[N]['output']>;
export type CallName = Exclude<{ [N in OperationName]: N }[OperationName], StreamName | UploadName>;
export type StreamName = 'bots.stream' | 'logs.stream' | 'projects.stream';
export type UploadName = 'custom_bots.publish';
