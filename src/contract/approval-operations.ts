import { Approval, ApprovalChoice, ListedApproval } from './approvals.ts';
import { Bot } from './bot.ts';
import { call, callInPerson, type Operation } from './operation.ts';
import { list, none, ofBot } from './operation-fields.ts';

const DOCS = { docs: 'docs/arming.md#what-waits-for-you' } as const;

/** Rows of the operation table: changes of armed bots that wait for a person. A key reads them, and settles none. */
export const APPROVAL_OPERATIONS = {
  'approvals.list': call(
    ['GET', '/api/v1/approvals'],
    'read',
    'The changes of your armed bots that wait for a person',
    none,
    list(ListedApproval),
    { ...DOCS, namedBots: true },
  ),
  'approvals.get': call(
    ['GET', '/api/v1/bots/{bot_id}/approval'],
    'read',
    'The change of a bot that waits for a person, with everything that would differ',
    ofBot,
    Approval,
    { ...DOCS, errors: ['BOT_NOT_FOUND', 'APPROVAL_NOT_FOUND'] },
  ),
  'approvals.approve': callInPerson(
    ['POST', '/api/v1/bots/{bot_id}/approval/approve'],
    'write',
    'Make the change that waits; the arming of the bot follows it',
    ApprovalChoice,
    Bot,
    {
      ...DOCS,
      effect: 'destructive',
      botChange: 'approve',
      cost: 'heavy',
      errors: [
        'BOT_NOT_FOUND',
        'APPROVAL_NOT_FOUND',
        'STALE_GENERATION',
        'NEEDS_ARMING',
        'PIN_REQUIRED',
        'PIN_RESET',
        'CUSTOM_BOT_NOT_FOUND',
        'INVALID_CONFIG',
        'INVALID_SCHEDULE',
        'NAME_TAKEN',
        'BOT_HELD',
        'ENGINE_UNAVAILABLE',
        'ISOLATION_REQUIRED',
        'INTERPRETER_NOT_ALLOWED',
        'SECRET_NOT_FOUND',
        'SECRETS_SEALED',
        'COPIED',
      ],
      audit: ['approved', 'approve', 'a change[ of bot {bot}][ that {asked_by} asked for]'],
    },
  ),
  'approvals.reject': callInPerson(
    ['POST', '/api/v1/bots/{bot_id}/approval/reject'],
    'write',
    'Drop the change that waits; the bot stays as it is',
    ApprovalChoice,
    Bot,
    {
      ...DOCS,
      botChange: 'reject',
      errors: ['BOT_NOT_FOUND', 'APPROVAL_NOT_FOUND'],
      audit: ['rejected', 'reject', 'a change[ of bot {bot}][ that {asked_by} asked for]'],
    },
  ),
} as const satisfies Record<string, Operation>;
