import type { Alarm } from '../../contract/alarms.ts';
import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';

function toldOf({ note, deliveries }: Alarm): string {
  if (deliveries.length === 0) return note ?? '';
  return deliveries
    .map(({ channel, state, at, problem }) => {
      const when = state === 'sent' ? ` ${at ?? ''}` : problem === null ? '' : ` (${problem})`;
      return `${channel}: ${state}${when}`;
    })
    .join('; ');
}

export const command: Command = {
  positionals: ['[bot]'],
  options: { limit: { type: 'string', value: 'N', short: 'n', help: 'At most this many, 1 to 200 (default 50)' } },
  description: 'Lists alarms, newest first: what happened, and who was told, when.',
  examples: ['platform alarms log', 'platform alarms log sma -n 5'],
  async run({ client, out }, args) {
    const host = await client();
    const [bot] = args.positionals;
    const answer = await host.call('alarms.log', {
      limit: args.integer('limit', 1, 200),
      bot_id: bot === undefined ? undefined : await host.botId(bot),
    });
    out.data(answer);
    if (answer.items.length === 0) out.line('No alarms.');
    else
      out.table(
        ['AT', 'SEVERITY', 'ALARM', 'TOLD'],
        answer.items.map((one) => [one.at, one.severity, printable(one.title), printable(toldOf(one))]),
      );
    return 0;
  },
};
