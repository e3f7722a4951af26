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
import { Assistant } from './assistant.ts';
import { BotId, visibleText } from './common.ts';
import { Runtime } from './custom-bot.ts';
import { HostInfo, ImageInfo } from './host.ts';
import { call, type Operation } from './operation.ts';
import { done, list, NO_BOT, none, page } from './operation-fields.ts';
import { PreferenceChange, Preferences } from './preferences.ts';

const password = z.string().min(10).max(1000);
const userName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'a user name is 1 to 63 of a-z 0-9 . _ -, and starts with a letter or digit');

const keyName = visibleText(100);

/** Rows of the operation table: the host, log-ins, keys, users, the audit trail. */
export const ACCOUNT_OPERATIONS = {
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
  'auth.password': call(
    ['POST', '/api/v1/auth/password'],
    'write',
    'Change the own password; all other sessions of this user end',
    z.strictObject({
      old_password: z
        .string()
        .max(1000)
        .optional()
        .meta({ description: 'Left out by somebody who has no password yet' }),
      new_password: password,
    }),
    done,
    { errors: ['INVALID_CREDENTIALS'] },
  ),
  'auth.device_start': call(
    ['POST', '/api/v1/auth/device'],
    'open',
    'Start a log-in by device code',
    z.strictObject({ client: keyName }),
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
  'assistants.list': call(
    ['GET', '/api/v1/assistants'],
    'read',
    'AI assistants that can be set up, and which of them are on the machine of the host',
    none,
    list(Assistant),
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
