import { PlatformError } from '../../../contract/errors.ts';
import { type Handlers, principalOf } from './handler-types.ts';
import type { Services } from './services.ts';

const DONE = { ok: true } as const;

/** The PIN of a user. */
export function pinOperations({
  auth,
  pins,
  bots,
  armings,
}: Services): Pick<Handlers, 'pin.get' | 'pin.set' | 'pin.confirm' | 'pin.reset'> {
  return {
    'pin.get': (_, caller) => pins.info(caller, caller.userId),
    'pin.set': ({ pin }, caller) => {
      pins.checkBeforeChoice(caller);
      return pins.set(principalOf(caller), pin);
    },
    'pin.confirm': ({ pin }, caller) => pins.confirm(principalOf(caller), pin, caller.cameFrom().source),
    'pin.reset': ({ name }, caller) => {
      const user = auth.listUsers().find((one) => one.name === name);
      if (user === undefined) throw new PlatformError('USER_NOT_FOUND');
      pins.reset(user.user_id, principalOf(caller).name);
      // Whoever reset it may not be who armed: nobody changes what trades until it is armed anew.
      for (const { botId } of bots.list(user.user_id)) armings.endNow(botId);
      return DONE;
    },
  };
}
