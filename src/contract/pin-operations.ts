import { z } from 'zod';
import { callInPerson, type Operation } from './operation.ts';
import { done, none } from './operation-fields.ts';
import { ChosenPin, PinConfirmation, PinInfo, TypedPin } from './pin.ts';

const DOCS = { docs: 'docs/pin.md#choose-one' } as const;

/** Rows of the operation table: the PIN of a user. No key reaches any of them. */
export const PIN_OPERATIONS = {
  'pin.get': callInPerson(
    ['GET', '/api/v1/pin'],
    'read',
    'Whether this user has a PIN, and until when it is not asked for again',
    none,
    PinInfo,
    DOCS,
  ),
  // It asks for the PIN by itself: unlike all else that needs the PIN, it is not refused after a reset.
  'pin.set': callInPerson(
    ['PUT', '/api/v1/pin'],
    'write',
    'Choose a PIN; who has one enters it first',
    z.strictObject({ pin: ChosenPin }),
    PinConfirmation,
    { ...DOCS, effect: 'destructive', errors: ['PIN_REQUIRED'], audit: ['chose', 'choose', 'a PIN'] },
  ),
  'pin.confirm': callInPerson(
    ['POST', '/api/v1/pin/confirm'],
    'write',
    'Enter the PIN: for 5 minutes this log-in may do what needs it',
    z.strictObject({ pin: TypedPin }),
    PinConfirmation,
    { docs: 'docs/pin.md#wrong-pins', errors: ['PIN_REQUIRED', 'WRONG_PIN'], audit: ['entered', 'enter', 'their PIN'] },
  ),
  'pin.reset': callInPerson(
    ['POST', '/api/v1/pin/reset'],
    'owner',
    'Remove a forgotten PIN, your own or that of another user, who is told over every channel; what needs it waits for an hour',
    z.strictObject({ name: z.string().max(100).meta({ description: 'The name of the user, typed' }) }),
    done,
    {
      docs: 'docs/pin.md#forgotten',
      target: 'name',
      effect: 'destructive',
      errors: ['USER_NOT_FOUND'],
      audit: ['reset', 'reset', 'the PIN of [user {name}|a user]'],
    },
  ),
} as const satisfies Record<string, Operation>;
