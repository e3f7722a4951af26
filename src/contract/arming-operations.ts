import { ArmRequest } from './arming.ts';
import { Bot } from './bot.ts';
import { callInPerson, type Operation } from './operation.ts';
import { NO_BOT, ofBot } from './operation-fields.ts';

const DOCS = { docs: 'docs/arming.md#arm-a-bot' } as const;

/** Rows of the operation table: arming. No key reaches any of them. `bots.get` shows the arming of a bot. */
export const ARMING_OPERATIONS = {
  'bots.arm': callInPerson(
    ['POST', '/api/v1/bots/{bot_id}/arm'],
    'write',
    'Allow a bot to use its live secrets, as it is now; this starts one that waits for it',
    ArmRequest,
    Bot,
    {
      ...DOCS,
      botChange: 'arm',
      errors: ['BOT_NOT_FOUND', 'STALE_GENERATION', 'PIN_REQUIRED', 'PIN_RESET', 'INVALID_REQUEST'],
      audit: ['armed', 'arm', '[bot {bot}|a bot]'],
    },
  ),
  'bots.disarm': callInPerson(
    ['POST', '/api/v1/bots/{bot_id}/disarm'],
    'write',
    'Take the live secrets of a bot away: it stops, and starts again only once it is armed',
    ofBot,
    Bot,
    {
      ...DOCS,
      effect: 'destructive',
      botChange: 'disarm',
      errors: NO_BOT,
      audit: ['disarmed', 'disarm', '[bot {bot}|a bot]'],
    },
  ),
} as const satisfies Record<string, Operation>;
