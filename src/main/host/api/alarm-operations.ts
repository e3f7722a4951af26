import { PlatformError } from '../../../contract/errors.ts';
import type { Handlers, StreamHandlers } from './handler-types.ts';
import { ownBot, reaches } from './own-bot.ts';
import type { Services } from './services.ts';

type AlarmOperations =
  | 'alarms.channels'
  | 'alarms.add_channel'
  | 'alarms.change_channel'
  | 'alarms.remove_channel'
  | 'alarms.test_channel'
  | 'alarms.shown'
  | 'alarms.rules'
  | 'alarms.add_rule'
  | 'alarms.change_rule'
  | 'alarms.remove_rule'
  | 'alarms.log'
  | 'alarms.seen'
  | 'alarms.mutes'
  | 'alarms.mute'
  | 'alarms.watch'
  | 'alarms.set_watch';

const DONE = { ok: true } as const;

/** Channels, rules and the log of alarms, and who watches the host. */
export function alarmOperations({ alarms, deadMan, bots }: Services): Pick<Handlers, AlarmOperations> {
  return {
    'alarms.channels': (_, { userId }) => ({ items: alarms.channels(userId) }),
    'alarms.add_channel': (input, { userId }) => alarms.addChannel(userId, input),
    'alarms.change_channel': (input, { userId }) => alarms.changeChannel(userId, input),
    'alarms.remove_channel': ({ channel_id }, { userId }) => {
      alarms.removeChannel(userId, channel_id);
      return DONE;
    },
    'alarms.test_channel': ({ channel_id }, { userId }) => alarms.testChannel(userId, channel_id),
    'alarms.shown': ({ id, shown }, { userId }) => {
      alarms.desktop.settle(userId, id, shown);
      return DONE;
    },
    'alarms.rules': (_, { userId }) => ({ items: alarms.rules(userId) }),
    'alarms.add_rule': (rule, caller) => {
      for (const botId of rule.bots ?? []) ownBot(bots, caller, botId);
      return alarms.addRule(caller.userId, rule);
    },
    'alarms.change_rule': ({ rule_id, ...change }, caller) => {
      for (const botId of change.bots ?? []) ownBot(bots, caller, botId);
      return alarms.changeRule(caller.userId, rule_id, change);
    },
    'alarms.remove_rule': ({ rule_id }, { userId }) => {
      alarms.removeRule(userId, rule_id);
      return DONE;
    },
    'alarms.log': ({ limit, before, bot_id }, caller) => {
      // The log outlives the bots; of another user's bot the caller has no entries.
      if (bot_id !== undefined && !reaches(caller, bot_id)) throw new PlatformError('BOT_NOT_FOUND');
      return alarms.log(caller.userId, { limit, before, botId: bot_id ?? null });
    },
    'alarms.seen': ({ up_to }, { userId }) => {
      alarms.seen(userId, up_to);
      return DONE;
    },
    'alarms.mutes': (_, { userId }) => ({ items: alarms.mutes(userId) }),
    'alarms.mute': ({ bot_id, minutes }, caller) => {
      const botId = bot_id ?? null;
      if (botId !== null) ownBot(bots, caller, botId);
      return { items: alarms.mute(caller.userId, botId, minutes) };
    },
    'alarms.watch': () => deadMan.info(),
    'alarms.set_watch': (input) => deadMan.set(input),
  };
}

/** What the desktop app of a user shows. */
export function alarmStreams({ alarms }: Services): Pick<StreamHandlers, 'alarms.desktop'> {
  return {
    'alarms.desktop': (_, { userId }, sink) => {
      // What was not shown is sent again: there is nothing to resume after.
      sink.start('0');
      return alarms.desktop.follow(userId, (notice) => void sink.push('0', notice));
    },
  };
}
