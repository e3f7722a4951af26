import { z } from 'zod';
import { invalid } from '../../../contract/errors.ts';
import { cutAloud, fitting, PAGE_BYTES, valueField } from '../page.ts';
import { READS, type Tool, type ToolCaller, tool } from '../tool.ts';
import { BOT_TEXT_NOTICE, visible } from '../untrusted.ts';
import { botId, logLine, logLink } from './fields.ts';
import { forAssistant } from './next-step.ts';

const MOST_LINES = 500;
/** What is older than a page: everything before an entry, as a date range with the entry's number behind the instant. */
const CONTINUED = /^(.+)#(\d{1,15})$/;
const BEGINNING = '1970-01-01';

/** Where a date or a range begins: `A/B`, `YYYYMMDD-YYYYMMDD` or a day. */
function startOf(text: string): string {
  const [, compact] = /^\s*(\d{8})-\d{8}\s*$/.exec(text) ?? [];
  return compact ?? text.split('/')[0] ?? BEGINNING;
}

/** A range that a truncated answer gave goes on before that answer's first line. */
function readRange(text: string | undefined): { date_range?: string; before?: number } {
  if (text === undefined) return {};
  const [, range, seq] = CONTINUED.exec(text) ?? [];
  if (range === undefined) return { date_range: text };
  // Lines of one millisecond are told apart by their number, so the range may reach beyond that instant.
  const start = range.slice(0, range.indexOf('/'));
  return { date_range: `${start}/9999-12-31`, before: Number(seq) };
}

const logs = tool({
  name: 'logs_get',
  title: 'Read the log of a bot',
  description:
    'Read log lines of one bot, oldest first, the newest of the range. Returns at most limit lines (default 100) and about 20 KB; when older lines were left out, truncated is true and older.date_range reads on. For counts, the last error and the cause of a failure call logs_summary first: it is much smaller. Secrets are masked.',
  input: z.strictObject({
    bot_id: botId,
    date: z
      .string()
      .optional()
      .meta({ description: 'One UTC day.', examples: ['2026-11-20'] }),
    date_range: z
      .string()
      .optional()
      .meta({
        description:
          'START/END in UTC, days or instants; an instant as END is excluded. Not together with date. To read on, pass older.date_range exactly as it came.',
        examples: ['2026-11-20T14:00:00Z/2026-11-20T14:05:00Z'],
      }),
    limit: z
      .number()
      .int()
      .min(1)
      .max(MOST_LINES)
      .optional()
      .meta({ description: `Most lines to return, 1 to ${MOST_LINES}, default 100.` }),
  }),
  output: z.object({
    bot_id: z.string(),
    lines: z.array(z.string()).meta({ description: '"<UTC time> <level> <source>: <text>", oldest first.' }),
    returned: z.number(),
    truncated: z.boolean(),
    older: z.object({ date_range: z.string() }).optional(),
  }),
  hints: READS,
  needs: 'logs.get',
  target: 'bot_id',
  async run({ bot_id, date, date_range, limit }, caller) {
    if (date !== undefined && date_range !== undefined) {
      throw invalid('INVALID_REQUEST', [
        { path: 'date', message: 'date and date_range exclude each other', hint: 'Give one of the two.' },
      ]);
    }
    const page = await caller.call('logs.get', {
      bot_id,
      limit: limit ?? 100,
      ...(date === undefined ? {} : { date }),
      ...readRange(date_range),
    });
    const newestFirst = page.entries.toReversed();
    const kept = fitting(newestFirst.map(logLine)).length;
    const entries = newestFirst.slice(0, kept).reverse();
    const truncated = page.truncated || kept < page.entries.length;
    const [oldest] = entries;
    const start = startOf(date_range ?? date ?? BEGINNING);
    return {
      data: {
        bot_id,
        notice: BOT_TEXT_NOTICE,
        lines: entries.map(logLine),
        returned: entries.length,
        truncated,
        ...(truncated && oldest !== undefined ? { older: { date_range: `${start}/${oldest.ts}#${oldest.seq}` } } : {}),
      },
      links: [logLink(bot_id)],
    };
  },
});

const summary = tool({
  name: 'logs_summary',
  title: 'Summarise the log of a bot',
  description:
    'Count the log lines of one bot by level, and say why it failed: reason code, failing step, the lines that show it, what changed since it last worked, and what to do next. Call it first when a bot misbehaves; read logs_get around the times that it names.',
  input: z.strictObject({ bot_id: botId }),
  output: z.object({
    bot_id: z.string(),
    total: z.number(),
    by_level: z.record(z.string(), z.number()),
    last_hour: z.record(z.string(), z.number()),
    first_at: z.string().nullable(),
    last_at: z.string().nullable(),
    failure: z.unknown(),
  }),
  hints: READS,
  needs: 'logs.summary',
  target: 'bot_id',
  async run(input, caller) {
    const { last_error, failure, ...counts } = await caller.call('logs.summary', input);
    const evidence = failure?.evidence.map((line) => ({ ...line, message: cutAloud(line.message, 1000) }));
    return {
      data: {
        ...counts,
        notice: BOT_TEXT_NOTICE,
        last_error: last_error === null ? null : logLine(last_error),
        failure: failure === null ? null : { ...failure, evidence, next: forAssistant(failure.next, input.bot_id) },
      },
      links: [logLink(input.bot_id)],
    };
  },
});

const stateList = tool({
  name: 'bot_state_list',
  title: 'List the state of a bot',
  description: 'List the keys that a bot has stored, with sizes in bytes. Values are not included: use bot_state_get.',
  input: z.strictObject({
    bot_id: botId,
    after: z.string().optional().meta({ description: 'To read on after a truncated answer: its last key.' }),
  }),
  output: z.object({
    bot_id: z.string(),
    keys: z.array(z.object({ key: z.string(), size_bytes: z.number(), modified_at: z.string() })),
    count: z.number(),
    truncated: z.boolean(),
  }),
  hints: READS,
  needs: 'state.list',
  target: 'bot_id',
  async run({ bot_id, after }, caller) {
    const { keys, total_bytes } = await caller.call('state.list', { bot_id });
    const rest = keys
      .map(({ key, size, modified_at }) => ({ key: visible(key), size_bytes: size, modified_at }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .filter(({ key }) => after === undefined || key > after);
    const shown = fitting(rest);
    const truncated = shown.length < rest.length;
    return { data: { bot_id, notice: BOT_TEXT_NOTICE, keys: shown, count: keys.length, total_bytes, truncated } };
  },
});

/** A value by its key, or by the key as the list shows it: with hidden characters made visible. */
async function stateOf(bot_id: string, key: string, caller: ToolCaller) {
  if (!key.includes('\\u{')) return caller.call('state.get', { bot_id, key });
  const { keys } = await caller.call('state.list', { bot_id });
  const found = keys.find((one) => one.key === key) ?? keys.find((one) => visible(one.key) === key);
  return caller.call('state.get', { bot_id, key: found?.key ?? key });
}

const stateGet = tool({
  name: 'bot_state_get',
  title: 'Read a state value',
  description:
    'Read the JSON value that a bot stored under one key. Use bot_state_list for the keys. A large value comes as its beginning, with truncated true.',
  input: z.strictObject({
    bot_id: botId,
    key: z
      .string()
      .min(1)
      .meta({ description: 'Key as bot_state_list returns it.', examples: ['bot_state'] }),
  }),
  output: z.object({ bot_id: z.string(), key: z.string(), value: z.unknown().optional(), truncated: z.boolean() }),
  hints: READS,
  needs: 'state.get',
  target: 'bot_id',
  async run(input, caller) {
    const { value, modified_at } = await stateOf(input.bot_id, input.key, caller);
    return {
      data: { ...input, modified_at, notice: BOT_TEXT_NOTICE, ...valueField('value', value, PAGE_BYTES - 2000) },
    };
  },
});

/** Tools about what bots say and store, in the order of the seed. */
export const DATA_TOOLS: readonly Tool[] = [logs, summary, stateList, stateGet];
