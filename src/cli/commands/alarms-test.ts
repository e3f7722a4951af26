import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { channelByName } from '../read-channel-settings.ts';

export const command: Command = {
  positionals: ['<channel>'],
  options: {},
  description: 'Sends a test message over a channel now. Once one has arrived, rules use the channel.',
  examples: ['platform alarms test phone'],
  async run({ client, out }, { positionals: [name = ''] }) {
    const host = await client();
    const { channel_id } = await channelByName(host, name);
    const { sent, problem, channel } = await host.call('alarms.test_channel', { channel_id });
    out.data({ sent, problem, channel });
    out.line(sent ? `Sent. Look at ${channel.target}: rules use ${channel.name} from now on.` : `Not sent: ${problem}`);
    return sent ? EXIT.ok : EXIT.unavailable;
  },
};
