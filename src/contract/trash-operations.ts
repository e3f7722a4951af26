import { z } from 'zod';
import { Bot, InstanceName } from './bot.ts';
import { BotId } from './common.ts';
import { call, callInPerson, type Operation } from './operation.ts';
import { list, none } from './operation-fields.ts';
import { TrashedBot } from './trash.ts';

/** Rows of the operation table: deleted bots. Only a person removes one for good. */
export const TRASH_OPERATIONS = {
  'trash.list': call(['GET', '/api/v1/trash'], 'read', 'Deleted bots that can be restored', none, list(TrashedBot), {
    namedBots: true,
    docs: 'docs/trash.md#restore',
  }),
  'trash.restore': call(
    ['POST', '/api/v1/trash/{bot_id}/restore'],
    'operate',
    'Take a bot out of the trash; it is stopped, and not armed',
    z.strictObject({
      bot_id: BotId,
      name: InstanceName.optional().meta({ description: 'Another name; default: the one that it had' }),
    }),
    Bot,
    {
      botChange: 'restore',
      docs: 'docs/trash.md#restore',
      errors: ['BOT_NOT_FOUND', 'BOT_RUNNING', 'NAME_TAKEN', 'DELETED_BY_PERSON'],
      audit: ['restored', 'restore', '[bot {bot}|a bot][ as {name}]'],
    },
  ),
  'trash.empty': callInPerson(
    ['POST', '/api/v1/trash/empty'],
    'write',
    'Remove deleted bots for good, with their secrets, logs, state and files; without ids all in the trash',
    z.strictObject({ bot_ids: z.array(BotId).min(1).max(1000).optional() }),
    z.object({
      removed: z.array(BotId),
      failed: z.array(z.object({ bot_id: BotId, problem: z.string() })).meta({
        description: 'Not removed yet: the host tries again every few seconds',
      }),
    }),
    {
      effect: 'destructive',
      docs: 'docs/trash.md#empty-it',
      errors: ['BOT_NOT_FOUND'],
      audit: ['removed', 'remove', 'deleted bots for good'],
    },
  ),
} as const satisfies Record<string, Operation>;
