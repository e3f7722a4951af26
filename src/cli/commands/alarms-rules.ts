import { ALARM_EVENT_NAMES, SEVERITIES } from '../../contract/alarm-choices.ts';
import type { NewRule } from '../../contract/alarms.ts';
import { PlatformError } from '../../contract/errors.ts';
import type { Arguments, Client, Command, Context } from '../command.ts';
import { durationOption } from '../duration-option.ts';
import { channelByName } from '../read-channel-settings.ts';
import { printable } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

const WORDS = 'alarms rules';

function oneOf<T extends string>(option: string, text: string, choices: readonly T[]): T {
  const found = choices.find((one) => one === text);
  if (found === undefined) throw new UsageError(`--${option} is ${choices.join(', ')}, not "${text}".`, WORDS);
  return found;
}

function numberOf(args: Arguments, option: string): number | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number))
    throw new UsageError(`--${option} takes a number, not "${text}".`, WORDS);
  return number;
}

function hoursOf(args: Arguments, option: string): NewRule['quiet'] | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? [];
  if (from === undefined || to === undefined)
    throw new UsageError(`--${option} takes hours such as 22:00-07:00, not "${text}".`, WORDS);
  return { from, to, zone: args.text('zone') ?? Intl.DateTimeFormat().resolvedOptions().timeZone };
}

async function ruleOf(host: Client, args: Arguments): Promise<NewRule> {
  const on = args.text('on')?.split(',');
  if (on === undefined) throw new UsageError(`add needs --on with some of ${ALARM_EVENT_NAMES.join(', ')}.`, WORDS);
  const bots = args.text('bots')?.split(',');
  const channels = args.text('channels')?.split(',');
  const severity = args.text('severity');
  const seconds = (option: string): number | undefined => {
    const text = args.text(option);
    return text === undefined ? undefined : durationOption(option, text, WORDS);
  };
  return {
    on: on.map((event) => oneOf('on', event.trim(), ALARM_EVENT_NAMES)),
    bots: bots === undefined ? undefined : await Promise.all(bots.map((text) => host.botId(text.trim()))),
    channels:
      channels === undefined
        ? undefined
        : await Promise.all(channels.map(async (text) => (await channelByName(host, text.trim())).channel_id)),
    severity: severity === undefined ? undefined : oneOf('severity', severity, SEVERITIES),
    quiet: hoursOf(args, 'quiet'),
    within: hoursOf(args, 'within'),
    at_most_every_sec: seconds('every'),
    for_sec: seconds('for'),
    with_text: args.flag('with-text') ? true : undefined,
    metric: args.text('metric'),
    field: args.text('field'),
    above: numberOf(args, 'above'),
    below: numberOf(args, 'below'),
    samples: args.integer('samples', 1),
  };
}

async function list({ out }: Context, host: Client): Promise<void> {
  const answer = await host.call('alarms.rules', {});
  out.data(answer);
  if (answer.items.length === 0) out.line('There are no rules: nothing is told.');
  else
    out.table(
      ['ID', 'SEVERITY', 'RULE'],
      answer.items.map((rule) => [rule.rule_id, rule.severity, printable(rule.sentence)]),
    );
}

async function act(host: Client, action: string, id: string) {
  const { items } = await host.call('alarms.rules', {});
  const rule_id = items.find((rule) => rule.rule_id === id)?.rule_id;
  if (rule_id === undefined) throw new PlatformError('RULE_NOT_FOUND');
  if (action === 'remove') return host.call('alarms.remove_rule', { rule_id });
  return host.call('alarms.change_rule', { rule_id, enabled: action === 'on' });
}

export const command: Command = {
  positionals: ['[action]', '[id]'],
  options: {
    on: { type: 'string', value: 'EVENT,EVENT', help: 'What to tell of' },
    bots: { type: 'string', value: 'BOT,BOT', help: 'Only of these bots (default: all)' },
    channels: { type: 'string', value: 'NAME,NAME', help: 'Only over these channels (default: all)' },
    severity: { type: 'string', value: 'SEVERITY', help: 'info, warning (default) or critical' },
    quiet: {
      type: 'string',
      value: 'HH:MM-HH:MM',
      help: 'Messages wait until these hours are over; not critical ones',
    },
    zone: { type: 'string', value: 'ZONE', help: 'Time zone of the hours (default: of this machine)' },
    every: { type: 'string', value: 'TIME', help: 'Of one bot and event at most one alarm in this time' },
    'with-text': { type: 'boolean', help: 'Quote what the bot said, masked' },
    for: { type: 'string', value: 'TIME', help: 'silent: for how long; run_too_slow: longer than this' },
    within: { type: 'string', value: 'HH:MM-HH:MM', help: 'silent: only within these hours' },
    metric: { type: 'string', value: 'TYPE', help: 'metric: its type; silent: no metric of this type' },
    field: { type: 'string', value: 'NAME', help: 'metric: the number in it (default: value)' },
    above: { type: 'string', value: 'NUMBER', help: 'metric: told above this' },
    below: { type: 'string', value: 'NUMBER', help: 'metric: told below this' },
    samples: { type: 'string', value: 'N', help: 'metric: this many in a row' },
  },
  description: 'Lists the rules by which you are told, in sentences, or changes them: add, on ID, off ID, remove ID.',
  examples: [
    'platform alarms rules',
    'platform alarms rules add --on failed,crash_loop --quiet 22:00-07:00',
    'platform alarms rules add --on silent --for 10m --bots "sma live"',
    'platform alarms rules add --on metric --metric equity --below 9000 --severity critical',
  ],
  async run(context, args) {
    const { client, out } = context;
    const [action, id = ''] = args.positionals;
    if (action !== undefined && !['add', 'on', 'off', 'remove'].includes(action))
      throw new UsageError('The actions are add, on, off and remove.', WORDS);
    if (action !== undefined && action !== 'add' && id === '') throw new UsageError(`${action} needs an id.`, WORDS);
    const host = await client();
    if (action === undefined) await list(context, host);
    else if (action === 'add') {
      const rule = await host.call('alarms.add_rule', await ruleOf(host, args));
      out.data(rule);
      out.line(rule.sentence);
    } else {
      out.data(await act(host, action, id));
      out.line(action === 'remove' ? 'The rule is removed.' : `The rule is ${action} now.`);
    }
    return 0;
  },
};
