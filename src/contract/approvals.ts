import { z } from 'zod';
import { BotId, Timestamp } from './common.ts';

/** How long a change waits for a person, in milliseconds. */
export const APPROVAL_MS = 7 * 86_400_000;

/** In how many values a change that waits for a person may differ: nobody reads more before they approve it. */
export const MOST_DIFFERENCES = 200;

/**
 * A change of a bot that a key or an assistant asked for, and that the host has not made: it waits for a person.
 * `outdated`: the bot has changed since, so this change can only be rejected.
 */
export const BotApproval = z.object({
  id: z.string(),
  status: z.enum(['waiting', 'outdated']),
  reason: z.literal('NEEDS_ARMING').meta({ description: 'The bot is armed: only a person changes what it runs' }),
  asked_by: z.string().meta({ description: 'Who asked for it', examples: ['key claude-code'] }),
  asked_at: Timestamp,
  expires_at: Timestamp.meta({ description: 'The host drops it then' }),
  changes: z
    .array(z.string())
    .meta({ description: 'What would change, in words; secret values stand in none of them' }),
  url: z.string().meta({ description: 'Where a person reads it, and approves or rejects it' }),
});
export type BotApproval = z.infer<typeof BotApproval>;

/** One difference that a change would make. Values are texts: JSON for a setting or an option. */
export const ApprovalDifference = z.object({
  path: z.string().meta({
    description: 'version, isolation, config.NAME and the like; permit N: the permits of the version in order',
  }),
  before: z.string().nullable().meta({ description: 'Null: it is not there' }),
  after: z.string().nullable().meta({ description: 'Null: it would not be there' }),
  hidden: z.boolean().meta({ description: 'The values hold a secret, and the texts have asterisks in its place' }),
});
export type ApprovalDifference = z.infer<typeof ApprovalDifference>;

/** A change that waits, in the list of those of all bots. */
export const ListedApproval = BotApproval.extend({
  bot_id: BotId,
  bot: z.string().meta({ description: 'Name of the bot' }),
  type: z.string(),
  client: z.string().nullable().meta({ description: 'The program that asked, as it names itself' }),
  problem: z.string().nullable().meta({ description: 'Why the host could not make the change now; null if it could' }),
});
export type ListedApproval = z.infer<typeof ListedApproval>;

/**
 * The same with everything that it would change. A person reads what the present version of the bot does not hide, a key also nothing
 * that the new version hides.
 */
export const Approval = ListedApproval.extend({ differences: z.array(ApprovalDifference) });
export type Approval = z.infer<typeof Approval>;

/** Names the change that a person has read: another one that took its place is not approved or rejected in its stead. */
export const ApprovalChoice = z.strictObject({ bot_id: BotId, approval_id: z.string().min(1).max(64) });
export type ApprovalChoice = z.infer<typeof ApprovalChoice>;
