import { z } from 'zod';
import { ALARM_EVENT_NAMES, CHANNEL_KINDS, SEVERITIES } from './alarm-choices.ts';
import { BotId, Timestamp, visibleText } from './common.ts';

/** Alarms: what a person is told, by which rule, over which channel (docs/alarms.md). */

export const AlarmEvent = z.enum(ALARM_EVENT_NAMES);
export const AlarmSeverity = z.enum(SEVERITIES);

const ChannelId = z.string().min(1).max(64);
const RuleId = z.string().min(1).max(64);

/** Texts by the names of CHANNEL_FIELDS. */
const ChannelSettings = z.record(z.string().max(40), z.string().max(2000));

/**
 * State of a channel. `unverified`: no test message has arrived yet, so rules do not use it. `ok`: rules use it. `disabled`: its
 * service refused the credential; a test message that arrives enables it again.
 */
export const ChannelState = z.enum(['unverified', 'ok', 'disabled']);
export type ChannelState = z.infer<typeof ChannelState>;

/** A place that alarms are sent to. Its credentials are never shown. */
export const AlarmChannel = z.object({
  channel_id: z.string(),
  name: z.string(),
  kind: z.enum(CHANNEL_KINDS),
  target: z.string().meta({ description: 'Where it leads, without credentials', examples: ['hooks.slack.com'] }),
  state: ChannelState,
  problem: z.string().nullable().meta({ description: 'Why the last attempt failed; null after one that succeeded' }),
  waiting: z.number().int().meta({ description: 'Messages that wait for it' }),
  retry_at: Timestamp.nullable().meta({ description: 'The next attempt after a failure' }),
  last_sent_at: Timestamp.nullable(),
  created_at: Timestamp,
});
export type AlarmChannel = z.infer<typeof AlarmChannel>;

const channelName = visibleText(60);

export const NewChannel = z.strictObject({ name: channelName, kind: z.enum(CHANNEL_KINDS), settings: ChannelSettings });
export const ChannelChange = z.strictObject({
  channel_id: ChannelId,
  name: channelName.optional(),
  settings: ChannelSettings.optional().meta({ description: 'Replaces these settings; the others stay' }),
});
export const OfChannel = z.strictObject({ channel_id: ChannelId });

/** How a test message went. */
export const ChannelTest = z.object({
  sent: z.boolean(),
  problem: z.string().nullable().meta({ description: 'Why it was not sent, and what to do' }),
  channel: AlarmChannel,
});
export type ChannelTest = z.infer<typeof ChannelTest>;

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day reads HH:MM, for example 22:00');
const zone = z.string().refine((name) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}, 'a time zone reads for example Europe/Berlin or UTC');

/** Hours of each day, from `from` until before `to`; over midnight where `to` is the earlier one. */
const Hours = z.strictObject({
  from: clock,
  to: clock,
  zone,
  days: z.array(z.number().int().min(0).max(6)).min(1).max(7).optional().meta({
    description: 'Days of the week on which they begin, 0 is Sunday; default: every day',
  }),
});
export type Hours = z.infer<typeof Hours>;

/** A notification that the desktop app shows. */
export const DesktopNotice = z.object({
  id: z.string().meta({ description: 'Repeats carry the same id, and are shown once' }),
  severity: AlarmSeverity,
  title: z.string(),
  text: z.string(),
  bot_id: BotId.nullable().meta({ description: 'The bot that a click opens; null: the alarms' }),
});
export type DesktopNotice = z.infer<typeof DesktopNotice>;

export const ShownNotice = z.strictObject({
  id: z.string().min(1).max(64),
  shown: z.boolean().meta({ description: 'false: notifications are switched off there' }),
});

/** A rule as a person writes it. What is left out has a default. */
export const NewRule = z.strictObject({
  on: z.array(AlarmEvent).min(1).max(ALARM_EVENT_NAMES.length),
  bots: z.array(BotId).min(1).max(100).nullable().optional().meta({ description: 'Only these bots; null: all' }),
  channels: z
    .array(ChannelId)
    .min(1)
    .max(20)
    .nullable()
    .optional()
    .meta({ description: 'Only these channels; null: all that are verified' }),
  severity: AlarmSeverity.optional().meta({ description: 'Default warning; critical ignores quiet hours' }),
  enabled: z.boolean().optional(),
  quiet: Hours.nullable().optional().meta({ description: 'Messages wait until these hours are over' }),
  at_most_every_sec: z
    .number()
    .int()
    .min(1)
    .max(7 * 86_400)
    .nullable()
    .optional()
    .meta({ description: 'Of one bot and event no second alarm before this time has passed' }),
  with_text: z.boolean().optional().meta({
    description: 'Quote what the bot said: masked, at most 200 characters, without markup',
  }),
  for_sec: z
    .number()
    .int()
    .min(5)
    .max(7 * 86_400)
    .nullable()
    .optional()
    .meta({ description: 'silent: for how long; run_too_slow: a run longer than this' }),
  metric: z.string().min(1).max(200).nullable().optional().meta({
    description: 'metric: the type; silent: no metric of this type, instead of no line',
  }),
  field: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .optional()
    .meta({ description: 'metric: the number in it; default value' }),
  above: z.number().nullable().optional(),
  below: z.number().nullable().optional(),
  samples: z.number().int().min(1).max(1000).nullable().optional().meta({
    description: 'metric: this many in a row; default 1',
  }),
  within: Hours.nullable().optional().meta({ description: 'silent: only within these hours' }),
});

export type NewRule = z.infer<typeof NewRule>;

/** A change of a rule: what it names replaces what was there. */
export const RuleChange = NewRule.partial().extend({ rule_id: RuleId });
export const OfRule = z.strictObject({ rule_id: RuleId });

/** A rule as every surface returns it: nothing is left out. */
export const AlarmRule = NewRule.required().extend({
  rule_id: z.string(),
  sentence: z.string().meta({ description: 'The rule in words' }),
});
export type AlarmRule = z.infer<typeof AlarmRule>;

/**
 * State of a message. `waiting`: it is going to be sent. `sent`: the service took it. `failed`: the host gave up. `dropped`: it
 * was not to be sent any more, for example because nothing was told that it takes back, or since a restore.
 */
const DeliveryState = z.enum(['waiting', 'sent', 'failed', 'dropped']);

/** An alarm that was raised, and who was told, when. */
export const Alarm = z.object({
  alarm_id: z.string(),
  seq: z.number().int().meta({ description: 'Rises with each alarm of a host; for `before` and `up_to`' }),
  at: Timestamp.meta({ description: 'When it happened' }),
  event: z.string().meta({ description: 'An event of a rule, recovered, channel_disabled or test' }),
  severity: AlarmSeverity,
  bot_id: BotId.nullable(),
  title: z.string(),
  text: z.string(),
  note: z.string().nullable().meta({ description: 'Why no channel was told; null if one was' }),
  deliveries: z.array(
    z.object({
      channel_id: z.string(),
      channel: z.string().meta({ description: 'Its name' }),
      state: DeliveryState,
      at: Timestamp.nullable().meta({ description: 'When it was sent, or given up' }),
      problem: z.string().nullable(),
    }),
  ),
});
export type Alarm = z.infer<typeof Alarm>;

export const AlarmLogQuery = z.strictObject({
  limit: z.number().int().min(1).max(200).optional(),
  before: z.number().int().optional().meta({ description: 'Only alarms with a smaller seq' }),
  bot_id: BotId.optional(),
});
export const AlarmLog = z.object({
  items: z.array(Alarm),
  unseen: z.number().int().meta({ description: 'Alarms since alarms.seen was last called' }),
});
export type AlarmLog = z.infer<typeof AlarmLog>;
export const SeenAlarms = z.strictObject({ up_to: z.number().int().min(0) });

/** Silence that a person has asked for: alarms are kept in the log, and no channel is told. */
export const AlarmMute = z.object({
  bot_id: BotId.nullable().meta({ description: 'null: everything' }),
  until: Timestamp,
});
export type AlarmMute = z.infer<typeof AlarmMute>;
export const NewMute = z.strictObject({
  bot_id: BotId.nullable().optional().meta({ description: 'Left out or null: everything' }),
  minutes: z
    .number()
    .int()
    .min(0)
    .max(30 * 24 * 60)
    .meta({ description: '0 ends the silence' }),
});

/** The address of a watcher that raises an alarm when the host stops calling it. */
export const AlarmWatch = z.object({
  set: z.boolean(),
  target: z.string().nullable().meta({ description: 'Where it leads, without its path' }),
  every_sec: z.number().int(),
  all_bots: z.boolean().meta({ description: 'Called only while no enabled bot needs you' }),
  last_at: Timestamp.nullable().meta({ description: 'The last call that was answered' }),
  problem: z.string().nullable(),
});
export type AlarmWatch = z.infer<typeof AlarmWatch>;
export const NewWatch = z.strictObject({
  url: z.string().max(2000).nullable().meta({ description: 'null ends the calls' }),
  every_sec: z.number().int().min(10).max(86_400).optional().meta({ description: 'Default 60' }),
  all_bots: z.boolean().optional().meta({ description: 'Default false: while the host runs' }),
});
