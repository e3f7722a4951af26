import { z } from 'zod';
import {
  ApiKey,
  AuditEntry,
  AuditQuery,
  AuthStatus,
  DeviceApproval,
  DeviceCode,
  DeviceGrant,
  DevicePoll,
  KeyScope,
  LoginLink,
  NewApiKey,
  Role,
  Session,
  SessionInfo,
  User,
} from './account.ts';
import { Assistant, AssistantSetUp, AssistantSetUpRequest } from './assistant.ts';
import { BotId, visibleText } from './common.ts';
import { Runtime } from './custom-bot.ts';
import { HostInfo, ImageInfo } from './host.ts';
import { ExceptedBot } from './isolation.ts';
import { call, callInPerson, callInPersonOrOnOwnKey, callWithPin, type Operation } from './operation.ts';
import { done, list, NO_BOT, none, ofBot } from './operation-fields.ts';
import { PreferenceChange, Preferences } from './preferences.ts';

const password = z.string().min(10).max(1000);
const userName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'a user name is 1 to 63 of a-z 0-9 . _ -, and starts with a letter or digit');

const keyName = visibleText(100);

/** Rows of the operation table: the host, log-ins, keys, users, the audit trail. */
export const ACCOUNT_OPERATIONS = {
  'host.health': call(['GET', '/healthz'], 'open', 'Is the host up', none, z.object({ status: z.literal('ok') }), {
    beforeRecovery: true,
  }),
  'host.get': call(
    ['GET', '/api/v1/host'],
    'read',
    'Version, engines, address and counts of the host',
    none,
    HostInfo,
    { namedBots: true },
  ),
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
    { errors: ['ENGINE_UNAVAILABLE'], audit: ['began', 'begin', 'to fetch the image[ of {runtime}]'] },
  ),
  'host.stop': call(
    ['POST', '/api/v1/host/stop'],
    'owner',
    'Stop the host; bots are ended or left running',
    z.strictObject({ leave_bots: z.boolean().optional() }),
    done,
    { effect: 'destructive', audit: ['stopped', 'stop', 'the host'] },
  ),
  'host.moved_here': callInPerson(
    ['POST', '/api/v1/host/moved-here'],
    'owner',
    'Say that the data folder has moved here and the original is not used any more: bots that wait since then start',
    none,
    z.object({ started: z.number().int().meta({ description: 'Bots that were waiting' }) }),
    {
      docs: 'docs/hosting.md#a-folder-that-was-copied-or-moved',
      errors: ['COPIED', 'HOST_RUNNING', 'ENGINE_UNAVAILABLE'],
      audit: ['declared', 'declare', 'that the data folder has moved here'],
    },
  ),
  'exceptions.list': callInPerson(
    ['GET', '/api/v1/host/exceptions'],
    'owner',
    'Bots of all users that run with less isolation than the host demands',
    none,
    list(ExceptedBot),
    { docs: 'docs/hosting.md#least-isolation' },
  ),
  'exceptions.end': callInPerson(
    ['POST', '/api/v1/host/exceptions/end'],
    'owner',
    'End the exception of a bot of any user: it moves to an engine that isolates enough, for good',
    ofBot,
    z.object({ bot_id: BotId, engine: z.string() }),
    {
      errors: ['BOT_NOT_FOUND', 'ENGINE_UNAVAILABLE', 'INVALID_REQUEST'],
      docs: 'docs/hosting.md#least-isolation',
      effect: 'destructive',
      target: 'bot_id',
      cost: 'heavy',
      audit: ['ended', 'end', 'the isolation exception of [bot {bot}|a bot]'],
    },
  ),
  'auth.status': call(['GET', '/api/v1/auth'], 'read', 'Check the key and tell whose it is', none, AuthStatus, {
    namedBots: true,
    beforeRecovery: true,
  }),
  'auth.login': call(
    ['POST', '/api/v1/auth/login'],
    'open',
    'Log in with user name and password',
    z.strictObject({ name: z.string().max(100), password: z.string().max(1000) }),
    Session,
    {
      target: 'name',
      answer: 'log_in',
      errors: ['INVALID_CREDENTIALS'],
      audit: ['logged', 'log', 'in'],
    },
  ),
  'auth.link': callInPerson(
    ['POST', '/api/v1/auth/link'],
    'write',
    'Make a link that logs a browser in once, as the one who asks',
    none,
    LoginLink,
    { audit: ['made', 'make', 'a log-in link'] },
  ),
  'auth.enter': call(
    ['POST', '/api/v1/auth/enter'],
    'open',
    'Log in with the ticket of such a link',
    z.strictObject({ ticket: z.string().max(200) }),
    Session,
    { answer: 'log_in', errors: ['INVALID_CREDENTIALS'], audit: ['logged', 'log', 'in by a link'] },
  ),
  'auth.logout': call(['POST', '/api/v1/auth/logout'], 'read', 'End the session that asks', none, done, {
    answer: 'log_out',
    audit: ['logged', 'log', 'out'],
  }),
  'auth.password': callWithPin(
    ['POST', '/api/v1/auth/password'],
    'write',
    'Change the own password; all other sessions of this user end',
    z.strictObject({
      old_password: z.string().max(1000).optional().meta({ description: 'Left out by a user who has no password yet' }),
      new_password: password,
    }),
    done,
    { effect: 'destructive', errors: ['INVALID_CREDENTIALS'], audit: ['changed', 'change', 'their password'] },
  ),
  'auth.device_start': call(
    ['POST', '/api/v1/auth/device'],
    'open',
    'Start a log-in by device code',
    z.strictObject({ client: keyName }),
    DeviceCode,
    { audit: ['asked', 'ask', 'for a log-in by code[ for {client}]'] },
  ),
  'auth.device_poll': call(
    ['POST', '/api/v1/auth/device/poll'],
    'open',
    'Ask whether the device code was approved',
    z.strictObject({ device_code: z.string().max(200) }),
    DevicePoll,
    {
      polled: true,
      errors: ['INVALID_CREDENTIALS'],
      audit: ['collected', 'collect', 'the key of an approved log-in by code'],
    },
  ),
  'auth.device_approve': callWithPin(
    ['POST', '/api/v1/auth/device/approve'],
    'write',
    'Approve a device code; that client gets a key of this scope, which expires after the given number of days',
    DeviceApproval,
    DeviceGrant,
    {
      target: 'user_code',
      errors: ['INVALID_CREDENTIALS'],
      audit: ['approved', 'approve', 'a log-in by code[ with scope {scope}]'],
    },
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
  'keys.create': callWithPin(
    ['POST', '/api/v1/keys'],
    'write',
    'Make an API key; it is shown once',
    z.strictObject({
      name: keyName,
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
    {
      status: 201,
      target: 'name',
      errors: NO_BOT,
      audit: ['made', 'make', '[key {name}|a key][ with scope {scope}]'],
    },
  ),
  'keys.delete': callInPersonOrOnOwnKey(
    ['DELETE', '/api/v1/keys/{key_id}'],
    'write',
    'Revoke an API key',
    z.strictObject({ key_id: z.string() }),
    done,
    { effect: 'destructive', errors: ['KEY_NOT_FOUND'], audit: ['revoked', 'revoke', '[key {api_key}|a key]'] },
  ),
  'sessions.list': callInPerson(
    ['GET', '/api/v1/sessions'],
    'read',
    'List the log-ins of browsers and programs that last',
    z.strictObject({
      user_id: z.string().optional().meta({ description: 'Of this user, for an owner; default: the own ones' }),
    }),
    list(SessionInfo),
    { errors: ['USER_NOT_FOUND'] },
  ),
  'sessions.end': callInPerson(
    ['DELETE', '/api/v1/sessions/{session_id}'],
    'write',
    'End a log-in at once: one of your own or, as an owner, one of another user',
    z.strictObject({ session_id: z.string() }),
    done,
    { effect: 'destructive', errors: ['SESSION_NOT_FOUND'], audit: ['ended', 'end', 'a log-in'] },
  ),
  'sessions.end_others': callInPerson(
    ['POST', '/api/v1/sessions/end-others'],
    'write',
    'End all log-ins of your own but the one that asks, at once',
    none,
    z.object({ ended: z.number().int().meta({ description: 'Log-ins that were ended' }) }),
    { effect: 'destructive', audit: ['ended', 'end', 'all their other log-ins'] },
  ),
  'users.list': callInPerson(['GET', '/api/v1/users'], 'owner', 'List users', none, list(User)),
  'users.get': callInPerson(
    ['GET', '/api/v1/users/{user_id}'],
    'owner',
    'One user',
    z.strictObject({ user_id: z.string() }),
    User,
    { errors: ['USER_NOT_FOUND'] },
  ),
  'users.create': callWithPin(
    ['POST', '/api/v1/users'],
    'owner',
    'Add a user',
    z.strictObject({ name: userName, password, role: Role.optional() }),
    User,
    { status: 201, target: 'name', errors: ['NAME_TAKEN'], audit: ['added', 'add', '[user {name}|a user]'] },
  ),
  'users.update': callWithPin(
    ['PATCH', '/api/v1/users/{user_id}'],
    'owner',
    'Change password or role of a user; a password that another user sets ends their sessions and revokes their keys',
    z.strictObject({ user_id: z.string(), password: password.optional(), role: Role.optional() }),
    User,
    {
      effect: 'destructive',
      errors: ['USER_NOT_FOUND'],
      audit: ['changed', 'change', '[user {user}|a user][ to role {role}][, with a new password{password?}]'],
    },
  ),
  'users.delete': callWithPin(
    ['DELETE', '/api/v1/users/{user_id}'],
    'owner',
    'Remove a user that has no bots left',
    z.strictObject({ user_id: z.string() }),
    done,
    {
      effect: 'destructive',
      errors: ['USER_NOT_FOUND', 'BOT_RUNNING'],
      audit: ['removed', 'remove', '[user {user}|a user]'],
    },
  ),
  'audit.list': call(
    ['GET', '/api/v1/audit'],
    'read',
    'What was done with this account',
    AuditQuery,
    list(AuditEntry),
    { cost: 'heavy', errors: ['BOT_NOT_FOUND', 'KEY_NOT_FOUND'], docs: 'docs/contract/access.md#audit' },
  ),
  'assistants.list': call(
    ['GET', '/api/v1/assistants'],
    'read',
    'AI assistants that can be set up, and which of them are on the machine of the host',
    none,
    list(Assistant),
  ),
  'assistants.set_up': callWithPin(
    ['POST', '/api/v1/assistants/setup'],
    'owner',
    "Make a key for an assistant on the machine of the host, and write it into the assistant's own file",
    AssistantSetUpRequest,
    AssistantSetUp,
    {
      target: 'name',
      errors: NO_BOT,
      docs: 'docs/assistants.md#set-it-up-for-me',
      audit: ['set up', 'set up', '[assistant {name}|an assistant][ with a key of scope {scope}]'],
    },
  ),
  'preferences.get': call(
    ['GET', '/api/v1/preferences'],
    'read',
    'How this user wants to see things',
    none,
    Preferences,
  ),
  'preferences.set': call(
    ['PATCH', '/api/v1/preferences'],
    'write',
    'Change some of these choices; the others stay',
    PreferenceChange,
    Preferences,
  ),
} as const satisfies Record<string, Operation>;
