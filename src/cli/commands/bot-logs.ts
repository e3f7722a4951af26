import { LIMITS } from '../../contract/limits.ts';
import { LOG_SOURCES } from '../../contract/log-source.ts';
import type { LogEntry, LogQuery, MetricEvent } from '../../contract/telemetry.ts';
import { LOG_LEVELS } from '../../contract/telemetry.ts';
import type { Arguments, Client, Command, Context } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { clockText, logLine, metricLine, tellZone } from '../show-bot-output.ts';
import { cut } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

function oneOf<T extends string>(args: Arguments, option: string, allowed: readonly T[]): T | undefined {
  const value = args.text(option);
  if (value === undefined) return undefined;
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new UsageError(`--${option} is one of ${allowed.join(', ')}.`, 'bot logs');
  return found;
}

/** Filters that a live stream has too: they are applied here, on what the host sends. */
function matches(entry: LogEntry, query: Partial<LogQuery>): boolean {
  const { level, source, run_id, search } = query;
  return (
    (level === undefined || LOG_LEVELS.indexOf(entry.level) >= LOG_LEVELS.indexOf(level)) &&
    (source === undefined || entry.source === source) &&
    (run_id === undefined || entry.run_id === run_id) &&
    (search === undefined || entry.message.toLowerCase().includes(search.toLowerCase()))
  );
}

type Item = LogEntry | MetricEvent;

const isMetric = (item: Item): item is MetricEvent => 'type' in item;

const bySeq = (a: Item, b: Item): number => a.seq - b.seq;

/** The newest `count` lines and metrics together, and the position to go on from; metrics only without a filter. */
async function newest(host: Client, bot_id: string, count: number, query: Partial<LogQuery>, filtered: boolean) {
  const [lastLine, lastMetric] = await Promise.all([
    host.call('logs.get', { bot_id, limit: 1 }),
    host.call('metrics.list', { bot_id, limit: 1 }),
  ]);
  const after = Math.max(0, ...[...lastLine.entries, ...lastMetric.events].map(({ seq }) => seq));
  // Everything up to a position that was seen can be read, so nothing is lost between the lines, the metrics and the stream.
  const before = after + 1;
  const page = await host.call('logs.get', { bot_id, ...query, limit: count, before });
  const metrics = filtered ? [] : (await host.call('metrics.list', { bot_id, limit: count, before })).events;
  const items: Item[] = [...page.entries, ...metrics];
  return { after, items: items.sort(bySeq).slice(-count) };
}

async function follow(context: Context, host: Client, botId: string, count: number, query: Partial<LogQuery>) {
  const { out, signal } = context;
  const filtered = Object.values(query).some((value) => value !== undefined);
  const show = (item: Item): void => {
    if (out.json) out.raw(`${JSON.stringify(item)}\n`);
    else out.line(isMetric(item) ? metricLine(item, out.colours) : logLine(item, out.colours, true));
  };
  const { after, items } = await newest(host, botId, count, query, filtered);
  for (const item of items) show(item);
  for await (const { data } of host.stream('logs.stream', { bot_id: botId, after }, signal)) {
    if ('gap' in data) continue;
    const logs: Item[] = data.logs.filter((entry) => matches(entry, query));
    for (const item of [...logs, ...(filtered ? [] : data.metrics)].sort(bySeq)) show(item);
  }
  if (signal.aborted) return EXIT.interrupted;
  out.note('The bot was deleted.');
  return EXIT.notFound;
}

async function summarise(
  { out }: Context,
  host: Client,
  bot_id: string,
  range: Pick<LogQuery, 'date' | 'date_range'>,
): Promise<number> {
  const [summary, found] = await Promise.all([
    host.call('logs.summary', { bot_id }),
    host.call('logs.groups', { bot_id, ...range }),
  ]);
  out.data({ ...summary, groups: found.groups, other_lines: found.other_lines, incomplete: found.incomplete });
  out.table(
    ['LEVEL', 'LAST HOUR', 'STORED'],
    LOG_LEVELS.map((level) => [level, String(summary.last_hour[level]), String(summary.by_level[level])]),
  );
  if (found.groups.length > 0) {
    tellZone(out);
    out.table(
      ['LEVEL', 'LINES', 'FIRST', 'LAST', 'NEWEST OF THEM'],
      found.groups.map(({ level, count, first_at, last_at, title }) => [
        level,
        String(count),
        clockText(first_at),
        clockText(last_at),
        cut(title, 200),
      ]),
      ['FIRST', 'LAST'],
    );
  }
  if (found.other_lines > 0) out.note(`${found.other_lines} further lines: platform bot logs --level warn.`);
  if (found.incomplete) {
    const seen =
      found.from === null
        ? 'There was no time for all lines; the newest contain no warning or error'
        : `Only lines from ${found.from} on were looked at`;
    out.note(`${seen}: narrow it with --date or --range.`);
  }
  return EXIT.ok;
}

export const command: Command = {
  positionals: ['<bot>'],
  options: {
    follow: { type: 'boolean', short: 'w', help: 'Go on with new lines and metrics as they come' },
    watch: { type: 'boolean', help: 'The same as --follow' },
    limit: {
      type: 'string',
      short: 'n',
      value: 'N',
      help: 'Lines, at most 1000 (default 100; with -w 20)',
    },
    date: { type: 'string', value: 'DAY', help: 'One UTC day: 2026-01-31' },
    range: { type: 'string', value: 'A/B', help: 'Days or instants: 2026-01-01/2026-01-31; or since: --range=-15m' },
    level: { type: 'string', value: 'LEVEL', help: 'This level and above: debug, info, warn, error' },
    source: { type: 'string', value: 'SOURCE', help: 'stdout, stderr, query or host' },
    run: { type: 'string', value: 'ID', help: 'Lines of one run' },
    search: { type: 'string', value: 'TEXT', help: 'Lines with this text, any case' },
    summary: { type: 'boolean', help: 'Counts by level, and warnings and errors in groups of those that say the same' },
  },
  description:
    'Shows the newest log lines of a bot, oldest first. With -w it goes on with what comes, metrics included, until Ctrl-C or until the bot is deleted.',
  examples: ['platform bot logs "sma live" -w', 'platform bot logs "sma live" --level error --date 2026-01-31'],
  async run(context, args) {
    const { out } = context;
    const query = {
      level: oneOf(args, 'level', LOG_LEVELS),
      source: oneOf(args, 'source', LOG_SOURCES),
      run_id: args.text('run'),
      search: args.text('search'),
    };
    const limit = args.integer('limit', 1, LIMITS.logsMax);
    const date = args.text('date');
    const date_range = args.text('range');
    const following = args.flag('follow') || args.flag('watch');
    if (following && (date ?? date_range) !== undefined) {
      throw new UsageError('Following shows what comes: leave out --date and --range, or -w.', 'bot logs');
    }
    const host = await context.client();
    const botId = await host.botId(args.positionals[0] ?? '');
    if (args.flag('summary')) return summarise(context, host, botId, { date, date_range });
    if (following) {
      tellZone(out);
      return follow(context, host, botId, limit ?? 20, query);
    }
    const page = await host.call('logs.get', { bot_id: botId, ...query, limit, date, date_range });
    if (page.entries.length === 0 && query.run_id !== undefined) {
      // Tells a run that wrote nothing from one that is not there.
      await host.call('runs.get', { bot_id: botId, run_id: query.run_id });
    }
    out.data(page);
    if (page.entries.length > 0) tellZone(out);
    for (const entry of page.entries) out.line(logLine(entry, out.colours, true));
    if (page.entries.length === 0) out.line('No lines.');
    if (page.incomplete) out.note('The search took too long and stopped early: narrow it with --date or --range.');
    return EXIT.ok;
  },
};
