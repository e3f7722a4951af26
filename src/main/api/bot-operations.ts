import { PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { BotRow } from '../store/bot-store.ts';
import { createMasker } from '../telemetry/mask/masker.ts';
import type { Handlers } from './handlers.ts';
import { ownBot, type Reach, reaches } from './own-bot.ts';
import { queryBot } from './query-bot.ts';
import type { Services } from './services.ts';

type BotOperations =
  | 'bots.list'
  | 'bots.get'
  | 'bots.deploy'
  | 'bots.update'
  | 'bots.delete'
  | 'bots.start'
  | 'bots.stop'
  | 'bots.restart'
  | 'bots.run'
  | 'bots.query'
  | 'bots.events'
  | 'runs.list'
  | 'runs.get';

/** Instances and their runs. */
export function botOperations(s: Services): Pick<Handlers, BotOperations> {
  const own = (who: Reach, botId: string) => ownBot(s.bots, who, botId);
  const rescheduled = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    s.rescheduled();
    return result;
  };
  return {
    'bots.list': (_, caller) => ({
      items: s.instances.list(caller.userId).filter((bot) => reaches(caller, bot.bot_id)),
    }),
    'bots.get': ({ bot_id }, caller) => s.instances.toBot(own(caller, bot_id)),
    'bots.deploy': (input, { userId }) => rescheduled(s.instances.deploy(userId, input)),
    'bots.update': (input, caller) => rescheduled(s.instances.update(own(caller, input.bot_id), input)),
    'bots.delete': async ({ bot_id }, caller) => {
      await s.instances.delete(own(caller, bot_id));
      return { bot_id, deleted: true };
    },
    'bots.start': ({ bot_id }, caller) => rescheduled(s.instances.start(own(caller, bot_id))),
    'bots.stop': ({ bot_id }, caller) => s.instances.stop(own(caller, bot_id)),
    'bots.restart': ({ bot_id }, caller) => s.instances.restart(own(caller, bot_id)),
    'bots.run': ({ bot_id }, caller) => s.instances.runNow(own(caller, bot_id)),
    'bots.query': (input, caller) => queryBot(s, own(caller, input.bot_id), input),
    'bots.events': ({ bot_id, limit, before }, caller) => ({
      items: s.events.list(own(caller, bot_id).botId, limit ?? LIMITS.logsDefault, before),
    }),
    'runs.list': ({ bot_id, limit, before }, caller) => ({
      items: s.instances.runs(own(caller, bot_id).botId, limit ?? LIMITS.logsDefault, before),
    }),
    'runs.get': ({ bot_id, run_id }, caller) => s.instances.run(own(caller, bot_id).botId, run_id),
  };
}

type DataOperations =
  | 'logs.get'
  | 'logs.summary'
  | 'metrics.get'
  | 'metrics.list'
  | 'metrics.series'
  | 'state.list'
  | 'state.get'
  | 'state.set'
  | 'state.delete';

/** What bots have said and stored. */
export function dataOperations(s: Services): Pick<Handlers, DataOperations> {
  const own = (who: Reach, botId: string) => ownBot(s.bots, who, botId);
  const idle = (who: Reach, botId: string) => {
    const bot = own(who, botId);
    if (s.supervisor.liveRuns(botId).length === 0) return bot;
    throw new PlatformError('BOT_RUNNING', 'A running bot owns its state', {
      hint: 'Stop the bot first: platform bot stop.',
    });
  };
  /** A bot may keep its config in its state; secret values of it are shown nowhere (wire.md section 10). */
  const hidden = <T extends { readonly value?: unknown }>(bot: BotRow, state: T): T => {
    const code = s.catalog.open(bot.userId, bot.customBot, bot.version);
    const secrets = code.secrets(code.validate(bot.config).effective);
    return { ...state, value: createMasker(secrets).hideValues(state.value) };
  };
  return {
    'logs.get': (input, caller) => {
      own(caller, input.bot_id);
      return s.telemetry.logs(input);
    },
    'logs.summary': ({ bot_id }, caller) => s.telemetry.summary(own(caller, bot_id).botId),
    'metrics.get': ({ bot_id }, caller) => s.telemetry.metrics(own(caller, bot_id).botId),
    'metrics.list': (input, caller) => {
      own(caller, input.bot_id);
      return s.telemetry.metricEvents(input);
    },
    'metrics.series': (input, caller) => {
      own(caller, input.bot_id);
      return s.telemetry.series(input);
    },
    'state.list': ({ bot_id }, caller) => s.state.list(own(caller, bot_id).botId),
    'state.get': async ({ bot_id, key }, caller) => hidden(own(caller, bot_id), await s.state.get(bot_id, key)),
    'state.set': async ({ bot_id, key, value }, caller) =>
      hidden(idle(caller, bot_id), await s.state.set(bot_id, key, value)),
    'state.delete': async ({ bot_id, key }, caller) => {
      await s.state.delete(idle(caller, bot_id).botId, key);
      return { ok: true };
    },
  };
}
