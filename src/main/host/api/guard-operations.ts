import { type Handlers, isPerson } from './handler-types.ts';
import { ownBot } from './own-bot.ts';
import type { Services } from './services.ts';

/** Guards of bots. */
export function guardOperations({
  guards,
  bots,
  pins,
}: Services): Pick<Handlers, 'guards.list' | 'guards.set' | 'guards.remove'> {
  return {
    'guards.list': ({ bot_id }, caller) => ({ items: guards.list(ownBot(bots, caller, bot_id).botId) }),
    'guards.set': (input, caller) => {
      ownBot(bots, caller, input.bot_id);
      if (isPerson(caller) && guards.loosens(input)) pins.check(caller);
      return guards.set(input, isPerson(caller));
    },
    'guards.remove': ({ bot_id, guard_id }, caller) => {
      const { botId } = ownBot(bots, caller, bot_id);
      pins.check(caller);
      guards.remove(botId, guard_id);
      return { ok: true };
    },
  };
}
