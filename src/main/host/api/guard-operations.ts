import { type Handlers, isPerson } from './handler-types.ts';
import { ownBot } from './own-bot.ts';
import type { Services } from './services.ts';

/** Guards of bots. */
export function guardOperations({
  guards,
  bots,
  pins,
  armings,
}: Services): Pick<Handlers, 'guards.list' | 'guards.set' | 'guards.remove'> {
  return {
    'guards.list': ({ bot_id }, caller) => ({ items: guards.list(ownBot(bots, caller, bot_id).botId) }),
    'guards.set': (input, caller) => {
      const bot = ownBot(bots, caller, input.bot_id);
      const isLooser = guards.loosens(input);
      if (isPerson(caller) && isLooser) pins.check(caller);
      const guard = guards.set(input, isPerson(caller));
      // Whoever loosened it has entered their PIN, as for arming.
      if (isLooser) armings.followGuards(bot.botId);
      return guard;
    },
    'guards.remove': ({ bot_id, guard_id }, caller) => {
      const bot = ownBot(bots, caller, bot_id);
      pins.check(caller);
      guards.remove(bot.botId, guard_id);
      armings.followGuards(bot.botId);
      return { ok: true };
    },
  };
}
