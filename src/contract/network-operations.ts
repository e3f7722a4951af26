import { BotNetwork, NetworkChange } from './network.ts';
import { call, type Operation } from './operation.ts';
import { NO_BOT, ofBot } from './operation-fields.ts';

const DOCS = { docs: 'docs/network.md#modes' } as const;

/** Rows of the operation table: the network of bots. A key may tighten a mode; loosening one needs a person. */
export const NETWORK_OPERATIONS = {
  'bots.network': call(
    ['GET', '/api/v1/bots/{bot_id}/network'],
    'read',
    'To whom a bot spoke through the gate, what was refused, and the permits that would allow it',
    ofBot,
    BotNetwork,
    { ...DOCS, errors: NO_BOT },
  ),
  'bots.set_network': call(
    ['PUT', '/api/v1/bots/{bot_id}/network'],
    'operate',
    'Choose what the gate does with the connections of a bot; a key may only make it stricter, and a person loosens it for an armed bot with their PIN',
    NetworkChange,
    BotNetwork,
    {
      ...DOCS,
      errors: ['BOT_NOT_FOUND', 'SESSION_REQUIRED', 'PIN_REQUIRED', 'PIN_RESET', 'INVALID_REQUEST'],
      audit: ['set', 'set', 'the network[ of bot {bot}][ to {mode}]'],
    },
  ),
} as const satisfies Record<string, Operation>;
