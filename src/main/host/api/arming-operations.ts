import { type Handlers, principalOf } from './handler-types.ts';
import { ownBot } from './own-bot.ts';
import type { Services } from './services.ts';

/** Arming: only for a person, who has entered their PIN. */
export function armingOperations({ bots, pins, armedBots }: Services): Pick<Handlers, 'bots.arm' | 'bots.disarm'> {
  return {
    'bots.arm': ({ bot_id, ...how }, caller) => {
      const bot = ownBot(bots, caller, bot_id);
      pins.check(caller);
      return armedBots.arm(bot, how, principalOf(caller).name);
    },
    'bots.disarm': ({ bot_id }, caller) => armedBots.disarm(ownBot(bots, caller, bot_id)),
  };
}
