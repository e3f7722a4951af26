import type { BotNetwork } from '../../../contract/network.ts';
import { confinementsOf } from '../bots/live-run.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { NetworkedBot } from '../gate/bot-networks.ts';
import { assertMayLoosen } from './armed-loosening.ts';
import { type Handlers, isPerson } from './handler-types.ts';
import { ownBot } from './own-bot.ts';
import type { Services } from './services.ts';

/** The network of bots. */
export function networkOperations(s: Services): Pick<Handlers, 'bots.network' | 'bots.set_network'> {
  const networked = (bot: BotRow): NetworkedBot => s.unitSpecs.networked(bot);
  const read = (bot: NetworkedBot): BotNetwork =>
    s.networks.read(bot, confinementsOf(s.supervisor.liveRuns(bot.botId)));
  return {
    'bots.network': ({ bot_id }, caller) => read(networked(ownBot(s.bots, caller, bot_id))),
    'bots.set_network': async ({ bot_id, mode }, caller) => {
      const row = ownBot(s.bots, caller, bot_id);
      const bot = networked(row);
      if (s.networks.loosens(bot, mode)) assertMayLoosen(s, caller, row);
      await s.networks.change(bot, mode, isPerson(caller));
      return read(bot);
    },
  };
}
