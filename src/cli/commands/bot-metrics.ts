import { LIMITS } from '../../contract/limits.ts';
import type { Arguments, Client, Command, Output } from '../command.ts';
import { metricLine, tellZone } from '../show-bot-output.ts';
import { printable } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

async function showSeries(out: Output, host: Client, args: Arguments, bot_id: string, type: string): Promise<void> {
  const series = await host.call('metrics.series', {
    bot_id,
    type,
    field: args.text('field') ?? '',
    symbol: args.text('symbol'),
    from: args.text('from'),
    to: args.text('to'),
    points: args.integer('points', 10, 5000),
  });
  out.data(series);
  if (series.t.length === 0) out.line('No samples.');
  const cell = (values: readonly number[], index: number): string => String(values[index] ?? '');
  if (series.t.length > 0) {
    out.table(
      ['FROM', 'SAMPLES', 'MIN', 'AVERAGE', 'MAX', 'LAST'],
      series.t.map((at, i) => [
        new Date(at).toISOString(),
        ...[series.count, series.min, series.avg, series.max, series.last].map((values) => cell(values, i)),
      ]),
    );
  }
}

export const command: Command = {
  positionals: ['<bot>', '[type]'],
  options: {
    limit: { type: 'string', short: 'n', value: 'N', help: 'Metrics of the type (default 100)' },
    field: { type: 'string', value: 'NAME', help: 'The numbers of this field over time, downsampled' },
    symbol: { type: 'string', value: 'NAME', help: 'Of this symbol only' },
    from: { type: 'string', value: 'TIME', help: 'From this instant: 2026-01-31T10:00:00Z' },
    to: { type: 'string', value: 'TIME', help: 'Up to this instant' },
    points: { type: 'string', value: 'N', help: 'Approximate number of rows (default 600)' },
  },
  description:
    'Shows the newest metric of each type, the newest metrics of one type, or a series of one of its fields.',
  examples: [
    'platform bot metrics "sma live"',
    'platform bot metrics "sma live" signal',
    'platform bot metrics "sma live" price --field value --points 20',
  ],
  async run({ client, out }, args) {
    const [name = '', type] = args.positionals;
    const limit = args.integer('limit', 1, LIMITS.logsMax);
    const host = await client();
    const bot_id = await host.botId(name);
    if (args.text('field') !== undefined) {
      if (type === undefined) throw new UsageError('Name the type that has the field.', 'bot metrics');
      await showSeries(out, host, args, bot_id, type);
      return 0;
    }
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
