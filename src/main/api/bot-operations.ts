import { PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Handlers } from './handlers.ts';
import { ownBot } from './own-bot.ts';
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
  const own = (userId: string, botId: string) => ownBot(s.bots, userId, botId);
  const rescheduled = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    s.rescheduled();
    return result;
  };
  return {
    'bots.list': (_, { userId }) => ({ items: s.instances.list(userId) }),
    'bots.get': ({ bot_id }, { userId }) => s.instances.toBot(own(userId, bot_id)),
    'bots.deploy': (input, { userId }) => rescheduled(s.instances.deploy(userId, input)),
    'bots.update': (input, { userId }) => rescheduled(s.instances.update(own(userId, input.bot_id), input)),
    'bots.delete': async ({ bot_id }, { userId }) => {
      await s.instances.delete(own(userId, bot_id));
      return { bot_id, deleted: true };
    },
    'bots.start': ({ bot_id }, { userId }) => rescheduled(s.instances.start(own(userId, bot_id))),
    'bots.stop': ({ bot_id }, { userId }) => s.instances.stop(own(userId, bot_id)),
    'bots.restart': ({ bot_id }, { userId }) => s.instances.restart(own(userId, bot_id)),
    'bots.run': ({ bot_id }, { userId }) => s.instances.runNow(own(userId, bot_id)),
    'bots.query': (input, { userId }) => queryBot(s, own(userId, input.bot_id), input),
    'bots.events': ({ bot_id, limit, before }, { userId }) => ({
      items: s.events.list(own(userId, bot_id).botId, limit ?? LIMITS.logsDefault, before),
    }),
    'runs.list': ({ bot_id, limit, before }, { userId }) => ({
      items: s.instances.runs(own(userId, bot_id).botId, limit ?? LIMITS.logsDefault, before),
    }),
    'runs.get': ({ bot_id, run_id }, { userId }) => s.instances.run(own(userId, bot_id).botId, run_id),
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
  const own = (userId: string, botId: string) => ownBot(s.bots, userId, botId);
  const idle = (userId: string, botId: string) => {
    const bot = own(userId, botId);
    if (s.supervisor.liveRuns(botId).length === 0) return bot;
    throw new PlatformError('BOT_RUNNING', 'A running bot owns its state', {
      hint: 'Stop the bot first: platform bot stop.',
    });
  };
  return {
    'logs.get': (input, { userId }) => {
      own(userId, input.bot_id);
      return s.telemetry.logs(input);
    },
    'logs.summary': ({ bot_id }, { userId }) => s.telemetry.summary(own(userId, bot_id).botId),
    'metrics.get': ({ bot_id }, { userId }) => s.telemetry.metrics(own(userId, bot_id).botId),
    'metrics.list': (input, { userId }) => {
      own(userId, input.bot_id);
      return s.telemetry.metricEvents(input);
    },
    'metrics.series': (input, { userId }) => {
      own(userId, input.bot_id);
      return s.telemetry.series(input);
    },
    'state.list': ({ bot_id }, { userId }) => s.state.list(own(userId, bot_id).botId),
    'state.get': ({ bot_id, key }, { userId }) => s.state.get(own(userId, bot_id).botId, key),
    'state.set': ({ bot_id, key, value }, { userId }) => s.state.set(idle(userId, bot_id).botId, key, value),
    'state.delete': async ({ bot_id, key }, { userId }) => {
      await s.state.delete(idle(userId, bot_id).botId, key);
      return { ok: true };
    },
  };
}
