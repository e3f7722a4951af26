import { LIMITS } from '../../contract/limits.ts';
import type { Command } from '../command.ts';
import { metricLine, tellZone } from '../show-event.ts';
import { printable } from '../text.ts';

export const command: Command = {
  positionals: ['<bot>', '[type]'],
  options: { limit: { type: 'string', short: 'n', value: 'N', help: 'Metrics of the type (default 100)' } },
  description: 'Shows the newest metric of each type, or the newest metrics of one type.',
  examples: ['platform bot metrics "sma live"', 'platform bot metrics "sma live" signal'],
  async run({ client, out }, args) {
    const [name = '', type] = args.positionals;
    const limit = args.integer('limit', 1, LIMITS.logsMax);
    const host = await client();
    const bot_id = await host.botId(name);
    if (type === undefined) {
      const overview = await host.call('metrics.get', { bot_id });
      out.data(overview);
      if (overview.types.length > 0) tellZone(out);
      for (const one of overview.types) out.line(`${metricLine(one.latest, out.colours)}  (${one.count})`);
      if (overview.types.length === 0) out.line('No metrics yet.');
      return 0;
    }
    const page = await host.call('metrics.list', { bot_id, type, limit });
    out.data(page);
    if (page.events.length > 0) tellZone(out);
    for (const event of page.events) out.line(metricLine(event, out.colours));
    if (page.events.length === 0) {
      const { types } = await host.call('metrics.get', { bot_id });
      const there = types.map((one) => printable(one.type)).join(', ');
      out.line(
        `No metrics of the type ${printable(type)}. ${there === '' ? 'It has none yet.' : `There are: ${there}.`}`,
      );
    }
    return 0;
  },
};
