/** Choices of alarms, without schemas, so that the dashboard can load them. */

/** What a rule can tell of. The words complete "Tell me when …". */
export const ALARM_EVENTS = {
  failed: 'a bot fails',
  crash_loop: 'a bot crashes again and again',
  run_missed: 'a run is missed',
  run_late: 'a run starts late',
  run_too_slow: 'a run takes too long',
  silent: 'a bot is silent',
  metric: 'a metric crosses a line',
  signal: 'a bot gives a signal',
  fill: 'an order is filled',
  duplicate_order: 'a bot places an order twice',
  egress_blocked: 'the gate refuses a connection of a bot',
  network_lost: 'a bot loses its network',
  guard_fired: 'a guard fires',
  arming_ends: 'the arming of a bot ends',
  change_waits: 'a change of an armed bot waits for you',
  disk: 'the disk of the host runs full',
  engine_lost: 'an engine does not answer',
  clock_jumped: 'the clock of the host jumps',
  slept: 'the machine of the host has slept',
  host_crashed: 'the host comes back after a crash',
  backup_failed: 'a backup fails',
  new_access: 'somebody logs in as you or gets a key of yours',
} as const;

/** An event that a rule can tell of. */
export type AlarmEventName = keyof typeof ALARM_EVENTS;
export const ALARM_EVENT_NAMES = Object.keys(ALARM_EVENTS) as [AlarmEventName, ...AlarmEventName[]];

/**
 * Events about a PIN. No rule names them: they go to every channel that works, ahead of all other messages, and hold such a channel
 * until they were sent.
 */
export const PIN_EVENTS = ['wrong_pin', 'pin_changed'] as const;

/** Events of the host, which only its owners learn. */
export const HOST_EVENTS: readonly AlarmEventName[] = [
  'disk',
  'engine_lost',
  'clock_jumped',
  'slept',
  'host_crashed',
  'backup_failed',
];

/** Events that need the lines and metrics of a bot. */
export const ROW_EVENTS: readonly AlarmEventName[] = ['silent', 'metric', 'signal', 'fill'];

export const CHANNEL_KINDS = [
  'webhook',
  'telegram',
  'discord',
  'slack',
  'ntfy',
  'pushover',
  'email',
  'desktop',
] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** Names of the kinds of channels for people. */
export const CHANNEL_NAMES: Readonly<Record<ChannelKind, string>> = {
  webhook: 'Webhook',
  telegram: 'Telegram',
  discord: 'Discord',
  slack: 'Slack',
  ntfy: 'ntfy',
  pushover: 'Pushover',
  email: 'E-mail',
  desktop: 'Desktop notification',
};

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** One setting of a kind of channel, as forms and the command line ask for it. */
export interface ChannelField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  /** Whoever knows it can write to the channel: it is sealed and never shown again. */
  readonly secret?: true;
  readonly optional?: true;
}

const field = (name: string, label: string, hint: string, more: Pick<ChannelField, 'secret' | 'optional'> = {}) => ({
  name,
  label,
  hint,
  ...more,
});
const SECRET = { secret: true } as const;
const OPTIONAL = { optional: true } as const;

/** Settings of each kind of channel, in the order in which forms ask for them. All values are texts. */
export const CHANNEL_FIELDS: Readonly<Record<ChannelKind, readonly ChannelField[]>> = {
  webhook: [
    field('url', 'Address', 'The host posts JSON to it, for example https://example.com/alarms', SECRET),
    field('secret', 'Signing secret', 'At least 16 characters; the receiver checks signatures with it', SECRET),
  ],
  telegram: [
    field('token', 'Bot token', 'Write to @BotFather in Telegram, send /newbot, and copy the token', SECRET),
    field('chat_id', 'Chat id', 'Write to your new bot, then to @userinfobot, which answers with your id'),
    field('server', 'Server', 'Of a Bot API of your own. Empty: https://api.telegram.org', OPTIONAL),
  ],
  discord: [
    field('url', 'Webhook URL', 'Channel settings, Integrations, Webhooks, New Webhook, Copy Webhook URL', SECRET),
  ],
  slack: [field('url', 'Webhook URL', 'api.slack.com/apps, your app, Incoming Webhooks, Add New Webhook', SECRET)],
  ntfy: [
    field('topic', 'Topic', 'A name that is hard to guess: whoever knows it can read along', SECRET),
    field('server', 'Server', 'Empty: https://ntfy.sh', OPTIONAL),
    field('token', 'Access token', 'Only for a topic that is protected', { secret: true, optional: true }),
  ],
  pushover: [
    field('token', 'Application token', 'pushover.net, Create an Application/API Token', SECRET),
    field('user', 'User key', 'Your user key, on the first page of pushover.net', SECRET),
    field('server', 'Server', 'Empty: https://api.pushover.net', OPTIONAL),
  ],
  email: [
    field('host', 'SMTP server', 'For example smtp.example.com'),
    field('port', 'Port', '465 encrypts at once, 587 after STARTTLS'),
    field('from', 'From', 'The address that alarms come from'),
    field('to', 'To', 'The address that gets them'),
    field('user', 'User name', 'Empty: the server asks for none', OPTIONAL),
    field('password', 'Password', 'Many providers want an app password', { secret: true, optional: true }),
  ],
  desktop: [],
};
