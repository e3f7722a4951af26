import { CHANNEL_KINDS, CHANNEL_NAMES } from '../../contract/alarm-choices.ts';
import type { Client, Command, Context } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { channelByName, readChannelSettings } from '../read-channel-settings.ts';
import { printable } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

const WORDS = 'alarms channels';

async function list({ out, name }: Context, host: Client): Promise<void> {
  const answer = await host.call('alarms.channels', {});
  out.data(answer);
  if (answer.items.length === 0) {
    out.line(`No channels yet. Add one with: ${typed(name, WORDS, 'add', 'telegram', 'phone')}`);
    return;
  }
  out.table(
    ['NAME', 'KIND', 'LEADS TO', 'STATE', 'WAITING', 'LAST SENT', 'PROBLEM'],
    answer.items.map((one) => [
      printable(one.name),
      CHANNEL_NAMES[one.kind],
      one.target,
      one.state,
      String(one.waiting),
      one.last_sent_at ?? 'never',
      one.problem ?? '',
    ]),
    ['LAST SENT'],
  );
}

async function add(context: Context, host: Client, kindText: string, channelName: string): Promise<void> {
  const kind = CHANNEL_KINDS.find((one) => one === kindText);
  if (kind === undefined) throw new UsageError(`The kinds of channels are ${CHANNEL_KINDS.join(', ')}.`, WORDS);
  const settings = await readChannelSettings(context, kind);
  const channel = await host.call('alarms.add_channel', { name: channelName, kind, settings });
  context.out.data(channel);
  const test = typed(context.name, 'alarms test', channel.name);
  context.out.line(`${channel.name} is added. Rules use it once a test message has arrived: ${test}`);
}

/** What each action needs after its word. */
const NEEDS = {
  add: ['a kind', 'a name'],
  set: ['a name'],
  rename: ['a name', 'the new name'],
  remove: ['a name'],
} as const;

export const command: Command = {
  positionals: ['[action]', '[name]', '[further]'],
  options: {},
  description:
    'Lists the channels over which you are told, or changes them: add KIND NAME, set NAME (new settings), rename NAME NEW, remove NAME. Settings are asked for, or read from stdin as name=value lines. A new channel is used once `platform alarms test` has reached you.',
  examples: [
    'platform alarms channels',
    'platform alarms channels add telegram phone',
    'platform alarms channels add webhook ops < webhook.txt',
    'platform alarms channels remove phone',
  ],
  async run(context, { positionals: [action, first = '', second = ''] }) {
    const { client, out } = context;
    if (action === undefined) {
      await list(context, await client());
      return 0;
    }
    if (action !== 'add' && action !== 'set' && action !== 'rename' && action !== 'remove')
      throw new UsageError('The actions are add, set, rename and remove.', WORDS);
    const missing = NEEDS[action][[first, second].indexOf('')];
    if (missing !== undefined) throw new UsageError(`${action} needs ${missing}.`, WORDS);
    const host = await client();
    if (action === 'add') {
      await add(context, host, first, second);
      return 0;
    }
    const { channel_id, name, kind } = await channelByName(host, first);
    if (action === 'remove') {
      out.data(await host.call('alarms.remove_channel', { channel_id }));
      out.line(`${name} is removed.`);
      return 0;
    }
    const change = action === 'rename' ? { name: second } : { settings: await readChannelSettings(context, kind) };
    const channel = await host.call('alarms.change_channel', { channel_id, ...change });
    out.data(channel);
    const test = typed(context.name, 'alarms test', channel.name);
    out.line(
      action === 'set' ? `${channel.name} is changed. Test it: ${test}` : `The channel is called ${channel.name} now.`,
    );
    return 0;
  },
};
