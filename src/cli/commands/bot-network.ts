import { NETWORK_MODES } from '../../contract/network.ts';
import { formatBytes } from '../../shared/format-quantity.ts';
import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

const WORDS = 'bot network';

export const command: Command = {
  positionals: ['<bot>'],
  options: {
    mode: {
      type: 'string',
      value: 'MODE',
      help: `${NETWORK_MODES.join(', ')}: what the gate does from the next start on`,
    },
  },
  description:
    'Shows to whom a bot spoke through the gate, how much, when, what was refused, and the lines of bot-config.yaml that would allow it. With --mode it chooses what the gate does; an API key may only make it stricter.',
  examples: ['platform bot network "sma live"', 'platform bot network "sma live" --mode observe'],
  async run({ client, out }, args) {
    const [name = ''] = args.positionals;
    const text = args.text('mode');
    const mode = NETWORK_MODES.find((one) => one === text);
    if (text !== undefined && mode === undefined)
      throw new UsageError(`--mode is ${NETWORK_MODES.join(', ')}, not "${text}".`, WORDS);
    const host = await client();
    const bot_id = await host.botId(name);
    const found =
      mode === undefined
        ? await host.call('bots.network', { bot_id })
        : await host.call('bots.set_network', { bot_id, mode });
    out.data(found);
    if (out.json) return 0;
    out.line(`${found.mode}: ${found.summary}`);
    if (mode !== undefined) out.line('A running program keeps its connections as they are until its next start.');
    if (found.items.length > 0) {
      out.line();
      out.table(
        ['DESTINATION', 'CONNECTIONS', 'SENT', 'RECEIVED', 'REFUSED', 'BEYOND PERMITS', 'FIRST', 'LAST'],
        found.items.map((one) => [
          printable(`${one.host}:${one.port}`),
          String(one.connections),
          formatBytes(one.sent_bytes),
          formatBytes(one.received_bytes),
          String(one.blocked),
          String(one.beyond_permits),
          one.first_at,
          one.last_at,
        ]),
        ['BEYOND PERMITS', 'FIRST'],
      );
    }
    if (found.proposal.length > 0) {
      out.line();
      out.line('To allow what was beyond its permits, add to permits of bot-config.yaml and publish:');
      for (const line of found.proposal) out.line(`  ${printable(line)}`);
    }
    return 0;
  },
};
