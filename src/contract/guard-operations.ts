import { Guard, NewGuard, OfGuard } from './guards.ts';
import { call, callInPerson, type Operation } from './operation.ts';
import { done, list, NO_BOT, ofBot } from './operation-fields.ts';

const DOCS = { docs: 'docs/guards.md#guards' } as const;

/** Rows of the operation table: guards. A key may tighten one; loosening or removing needs a person and their PIN. */
export const GUARD_OPERATIONS = {
  'guards.list': call(['GET', '/api/v1/bots/{bot_id}/guards'], 'read', 'The guards of a bot', ofBot, list(Guard), {
    ...DOCS,
    errors: NO_BOT,
  }),
  'guards.set': call(
    ['PUT', '/api/v1/bots/{bot_id}/guards'],
    'operate',
    'Add a guard, or change the one of this kind and symbol; a key may only make it stricter',
    NewGuard,
    Guard,
    {
      ...DOCS,
      errors: ['BOT_NOT_FOUND', 'SESSION_REQUIRED', 'PIN_REQUIRED', 'PIN_RESET', 'INVALID_REQUEST'],
      audit: ['set', 'set', '[the guard {kind}|a guard][ of bot {bot}]'],
    },
  ),
  'guards.remove': callInPerson(
    ['DELETE', '/api/v1/bots/{bot_id}/guards/{guard_id}'],
    'write',
    'Remove a guard',
    OfGuard,
    done,
    {
      ...DOCS,
      effect: 'destructive',
      errors: ['BOT_NOT_FOUND', 'GUARD_NOT_FOUND', 'PIN_REQUIRED', 'PIN_RESET'],
      audit: ['removed', 'remove', 'a guard[ of bot {bot}]'],
    },
  ),
} as const satisfies Record<string, Operation>;
