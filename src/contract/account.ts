import { z } from 'zod';
import { Timestamp } from './common.ts';
import { DEVICE_DAYS, DEVICE_SCOPE, KEY_SCOPES } from './key-choices.ts';
import { LIMITS } from './limits.ts';

/**
 * Rights of a key: `read` changes nothing, `deploy` also publishes, deploys, changes and removes bots and custom bots,
 * `full` also preferences and, for an owner, the host itself. No key changes users, passwords, keys or log-ins.
 */
export const KeyScope = z.enum(KEY_SCOPES);
export type KeyScope = z.infer<typeof KeyScope>;

export const Role = z.enum(['owner', 'user']);
export type Role = z.infer<typeof Role>;

/** An API key without its secret; the secret is shown once, when the key is made. */
export const ApiKey = z.object({
  key_id: z.string(),
  name: z.string(),
  scope: KeyScope,
  /** The only bots this key reaches; null for all of its user. */
  bots: z.array(z.string()).nullable(),
  /** The key may use the further tools at POST /mcp/extended. */
  extended: z.boolean(),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
  expires_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;
export const NewApiKey = ApiKey.extend({ key: z.string().meta({ description: 'The key itself, shown only now' }) });
export type NewApiKey = z.infer<typeof NewApiKey>;

export const User = z.object({
  user_id: z.string(),
  name: z.string(),
  role: Role,
  created_at: Timestamp,
  has_password: z.boolean(),
});
export type User = z.infer<typeof User>;

/** The caller, its credential, and its rights. */
export const AuthStatus = z.object({
  valid: z.literal(true),
  user: z.object({ user_id: z.string(), name: z.string(), role: Role }),
  scope: KeyScope,
  bots: z.array(z.string()).nullable().meta({ description: 'The only bots this key reaches; null: all' }),
  method: z.enum(['api_key', 'session', 'local']),
  key: z.object({ key_id: z.string(), name: z.string() }).nullable(),
});
export type AuthStatus = z.infer<typeof AuthStatus>;

export const Session = z.object({
  token: z
    .string()
    .optional()
    .meta({ description: "Left out for the host's own pages, which have it as a cookie that no script can read" }),
  expires_at: Timestamp,
  user: User,
});
export type Session = z.infer<typeof Session>;

/** A log-in that lasts, without its token. */
export const SessionInfo = z.object({
  session_id: z.string(),
  user_id: z.string(),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable().meta({ description: 'To the minute; null: not used for a minute yet' }),
  expires_at: Timestamp,
  source: z
    .string()
    .nullable()
    .meta({ description: 'Network address, or user account of this machine; null: of before this was kept' }),
  client: z.string().nullable().meta({ description: 'What the program calls itself (User-Agent)' }),
  current: z.boolean().meta({ description: 'The session that asks' }),
});
export type SessionInfo = z.infer<typeof SessionInfo>;

/** A log-in that has just begun, with its token. */
export type NewSession = Session & { readonly token: string };

/** A link that logs a browser in once. */
export const LoginLink = z.object({ url: z.string(), expires_at: Timestamp });
export type LoginLink = z.infer<typeof LoginLink>;

/** Start of a log-in by device code: the person approves `user_code` where they are logged in already. */
export const DeviceCode = z.object({
  device_code: z.string(),
  user_code: z.string(),
  expires_at: Timestamp,
  interval_sec: z.number(),
  approve_url: z.string(),
});
/** Approval of a program that shows a code: its key's scope and lifetime. */
export const DeviceApproval = z.strictObject({
  user_code: z.string().max(20),
  scope: KeyScope.optional().meta({ description: `What the key may do; default ${DEVICE_SCOPE}` }),
  expires_in_days: z
    .number()
    .int()
    .min(1)
    .max(3650)
    .nullable()
    .optional()
    .meta({ description: `Days until the key ends; null: never; default ${DEVICE_DAYS}` }),
});
export type DeviceApproval = z.infer<typeof DeviceApproval>;
/** Answer to an approval: the program, its source, and the rights of its key. */
export const DeviceGrant = z.object({
  ok: z.literal(true),
  client: z.string().meta({ description: 'What the program calls itself, and its key is called' }),
  source: z.string().meta({ description: 'Where it asked from' }),
  scope: KeyScope,
  expires_in_days: z.number().int().nullable(),
});
export const DevicePoll = z.object({ status: z.enum(['pending', 'approved']), key: z.string().nullable() });

/** One audited call: who did what to what, from where, and how it ended. */
export const AuditEntry = z.object({
  audit_id: z.number().int(),
  at: Timestamp,
  user_id: z.string().nullable(),
  method: z.string(),
  key_id: z.string().nullable(),
  client: z.string().nullable(),
  operation: z.string(),
  target: z.string().nullable(),
  outcome: z
    .string()
    .meta({ description: 'ok, the error code, or what came of a question to the person: asked, declined, waiting' }),
  duration_ms: z.number(),
  names: z.record(z.string(), z.string()).meta({
    description:
      'Names of what it was about, at the time where they were kept: bot, project, path, name, version and the like',
  }),
  by: z.string().meta({ description: 'Who did it: the user, or the key by its name', examples: ['key claude-code'] }),
  deed: z.string().meta({ description: 'What was done, in words', examples: ['deployed bot sma-live 1.0.1'] }),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Which entries of the audit trail to list: those that everything given holds for, the newest first. */
export const AuditQuery = z.strictObject({
  limit: z.number().int().min(1).max(LIMITS.logsMax).optional(),
  before: z.number().int().optional().meta({ description: 'Only entries with a smaller audit_id' }),
  by: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({
      description:
        'Only what they did: `person` without a key, `assistant` over MCP, or a key by its id or name, revoked ones included',
      examples: ['claude-code'],
    }),
  bot: z.string().min(1).max(200).optional().meta({
    description: 'Only what was done to a bot: its id, or its name, which finds also bots that are gone',
  }),
  action: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({
      description: 'Only this: a verb, or an operation by its name',
      examples: ['delete', 'bots.update'],
    }),
  date_range: z
    .string()
    .max(100)
    .optional()
    .meta({
      description: 'Only in this time, as of log queries: days or instants A/B, or since then such as -2h',
      examples: ['2026-01-01/2026-01-31', '-2h'],
    }),
});
export type AuditQuery = z.infer<typeof AuditQuery>;
