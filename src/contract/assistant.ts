import { z } from 'zod';
import { ApiKey, KeyScope } from './account.ts';
import { BotId } from './common.ts';

/** An AI assistant whose set-up is known. */
export const Assistant = z.object({
  name: z.string().meta({ examples: ['claude-code'] }),
  title: z.string(),
  here: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether it seems to be on the machine of the host; null: that is told to its owner alone' }),
  file: z
    .string()
    .nullable()
    .meta({ description: 'Its file with the list of servers there; null: not known, or not told to the caller' }),
});
export type Assistant = z.infer<typeof Assistant>;

/** Asks the host to set an assistant of its own machine up. */
export const AssistantSetUpRequest = z.strictObject({
  name: z
    .string()
    .max(64)
    .meta({ examples: ['claude-code'] }),
  scope: KeyScope.optional(),
  bots: z.array(BotId).min(1).max(100).optional().meta({ description: 'Only these bots can be reached with its key' }),
  extended: z.boolean().optional().meta({ description: 'A second server as well, with the further tools' }),
});
export type AssistantSetUpRequest = z.infer<typeof AssistantSetUpRequest>;

/** What was written into the file of an assistant. Everything else in the file is as it was. */
export const AssistantSetUp = z.object({
  title: z.string(),
  file: z.string().meta({ description: 'The file that was written, on the machine of the host' }),
  backup: z.string().nullable().meta({ description: 'Copy of the file as it was; null: there was none' }),
  changes: z.array(z.object({ server: z.string(), change: z.enum(['added', 'replaced']) })),
  key: ApiKey,
  secret: z.string().nullable().meta({
    description: 'The key itself, where the assistant asks for it and keeps it elsewhere; null: it is in the file',
  }),
  replaced_keys: z
    .array(z.object({ key_id: z.string(), name: z.string() }))
    .meta({ description: 'Keys that the file held before; they are valid until they are revoked' }),
  next: z.string().meta({ description: 'What to do in the assistant now; code stands in backticks' }),
  notes: z.array(z.string()),
});
export type AssistantSetUp = z.infer<typeof AssistantSetUp>;
