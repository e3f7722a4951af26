import { formatBytes, formatRelative } from '../../isomorphic/duration.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  positionals: ['<bot>', '[key]'],
  options: {},
  description: 'Lists the state keys of a bot with their sizes, or prints the value of one.',
  examples: ['platform bot state "sma live"', 'platform bot state "sma live" bot_state'],
  async run({ client, out }, { positionals: [name = '', key] }) {
    const host = await client();
    const bot_id = await host.botId(name);
    if (key !== undefined) {
      const value = await host.call('state.get', { bot_id, key });
      out.data(value);
      out.line(JSON.stringify(value.value, null, 2));
      return 0;
    }
    const list = await host.call('state.list', { bot_id });
    out.data(list);
    if (list.keys.length === 0) out.line('No state yet.');
    else {
      const now = Date.now();
      out.table(
        ['KEY', 'SIZE', 'MODIFIED'],
        list.keys.map((one) => [one.key, formatBytes(one.size), formatRelative(Date.parse(one.modified_at), now)]),
      );
    }
    if (list.over_quota) out.note(`The state is over its limit: ${formatBytes(list.total_bytes)}.`);
    return 0;
  },
};
