import { PlatformError } from '../../../contract/errors.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { cutAloud, fitting, metricData, PAGE_BYTES, valueField } from './answer-size.ts';
import { RPC, RpcError } from './rpc.ts';
import type { ToolCaller } from './tool.ts';
import { fullBot, logLine } from './tools/records.ts';
import { BOT_TEXT_NOTICE, visible, visibleJson, visibleText } from './untrusted.ts';
import { ALARMS_URI, type BotPart, botUri, GUIDE_URI, parseUri } from './uris.ts';

const JSON_TYPE = 'application/json';
/** A document that a client shows in a frame and talks to (MCP Apps). */
const VIEW_TYPE = 'text/html;profile=mcp-app';
const PER_PAGE = 100;
const NEWEST = 200;
/** Room for types and newest metrics together: with what stands around them the resource is below 18 KB. */
const METRICS_BYTES = 17_500;
/** Room for the types, and for the name of one. */
const TYPES_BYTES = 5000;
const TYPE_BYTES = 200;
const NEWEST_ORDERS = 20;
/** Room for orders, for the sums and for the positions of each of at most four books, and for what else is in one. */
const ORDERS_BYTES = 5000;
const BOOK_BYTES = 1200;
const SMALL_BYTES = 300;
const SCHEMA_BYTES = 100_000;

/** Addresses with a variable part (MCP, resource templates). */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'platform://bots/{bot_id}',
    name: 'bot',
    title: 'Bot',
    description: 'One bot with its status and settings.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'platform://bots/{bot_id}/logs',
    name: 'bot-logs',
    title: 'Log of a bot',
    description: 'Newest log lines; subscribe for updates.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'platform://bots/{bot_id}/metrics',
    name: 'bot-metrics',
    title: 'Metrics of a bot',
    description: 'Newest metric of each type, and the newest ones; subscribe for updates.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'platform://bots/{bot_id}/state',
    name: 'bot-state',
    title: 'State of a bot',
    description: 'What the bot has stored.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'platform://bots/{bot_id}/ledger',
    name: 'bot-ledger',
    title: 'Ledger of a bot',
    description: 'What the bot earned, paid and holds, by mode and currency, with its newest orders.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'platform://custom-bots/{name}/schema',
    name: 'custom-bot-schema',
    title: 'Settings schema',
    description: 'JSON Schema of the settings of a custom bot, newest version.',
    mimeType: 'application/schema+json',
  },
  {
    uriTemplate: 'ui://bots/{name}/{version}/view',
    name: 'view',
    title: 'View of a bot',
    description: 'The screen that a version of a custom bot brings along (MCP Apps).',
    mimeType: VIEW_TYPE,
  },
] as const;

function notFound(uri: string): RpcError {
  return new RpcError(RPC.invalidParams, 'Resource not found', { uri });
}

/** One page of the addresses that exist: the guide, then every bot. */
export async function listResources(params: Record<string, unknown>, caller: ToolCaller) {
  const { cursor } = params;
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0) throw new RpcError(RPC.invalidParams, 'cursor is not one of ours');
  const { items } = await caller.call('bots.list', {});
  const bots = items.map(({ bot_id, name, status }) => ({
    uri: botUri(bot_id),
    name: visible(name),
    title: visible(`${name} (${status})`),
    mimeType: JSON_TYPE,
  }));
  const guide = { uri: GUIDE_URI, name: 'authoring-guide', title: 'How to write a bot', mimeType: 'text/markdown' };
  const alarms = { uri: ALARMS_URI, name: 'alarms', title: 'Alarms: what happened, who was told', mimeType: JSON_TYPE };
  // A key for some bots reads no alarms: they tell of others, too.
  const all = [guide, ...(caller.principal.botIds === null ? [alarms] : []), ...bots];
  const end = from + PER_PAGE;
  return { resources: all.slice(from, end), ...(end < all.length ? { nextCursor: String(end) } : {}) };
}

async function stateOf(botId: string, caller: ToolCaller): Promise<Record<string, unknown>> {
  const { keys } = await caller.call('state.list', { bot_id: botId });
  const values: Record<string, unknown>[] = [];
  let room = PAGE_BYTES;
  for (const { key, size } of keys) {
    if (size > room) {
      values.push({ key, size_bytes: size, truncated: true });
      continue;
    }
    room -= size;
    const { value } = await caller.call('state.get', { bot_id: botId, key });
    values.push({ key, value });
  }
  return { bot_id: botId, notice: BOT_TEXT_NOTICE, state: fitting(values), count: keys.length };
}

async function metricsOf(botId: string, caller: ToolCaller): Promise<Record<string, unknown>> {
  const overview = await caller.call('metrics.get', { bot_id: botId });
  const { events } = await caller.call('metrics.list', { bot_id: botId, limit: NEWEST });
  const types = fitting(
    overview.types.map(({ type, count }) => ({ type: visible(cutAloud(type, TYPE_BYTES)), count })),
    TYPES_BYTES,
  );
  const all = events.map(({ ts, type, data }) => visibleJson({ ts, type, ...metricData(data) }).data).reverse();
  const newest = fitting(all, METRICS_BYTES - Buffer.byteLength(JSON.stringify(types))).reverse();
  const cut = types.length < overview.types.length ? { types_in_all: overview.types.length } : {};
  return { bot_id: botId, notice: BOT_TEXT_NOTICE, types, ...cut, newest };
}

async function logsOf(botId: string, caller: ToolCaller): Promise<Record<string, unknown>> {
  const { entries } = await caller.call('logs.get', { bot_id: botId, limit: NEWEST });
  const lines = entries.map(logLine);
  return { bot_id: botId, notice: BOT_TEXT_NOTICE, lines: fitting(lines.reverse()).reverse() };
}

async function ledgerOf(bot_id: string, caller: ToolCaller): Promise<Record<string, unknown>> {
  const { books } = await caller.call('ledger.get', { bot_id });
  const { orders } = await caller.call('ledger.orders', { bot_id, limit: NEWEST_ORDERS });
  const newest = orders.map(({ history: _, ...order }) => visibleJson(order).data);
  const shown = books.map((book) => {
    const [sums, positions] = [fitting(book.sums, BOOK_BYTES), fitting(book.positions, BOOK_BYTES)];
    const cut = {
      ...(sums.length < book.sums.length ? { sums_in_all: book.sums.length } : {}),
      ...(positions.length < book.positions.length ? { positions_in_all: book.positions.length } : {}),
    };
    const [equity, differences] = [fitting(book.equity, SMALL_BYTES), fitting(book.differences, SMALL_BYTES)];
    return { ...visibleJson({ ...book, sums, positions, equity, differences }).data, ...cut };
  });
  return { bot_id, notice: BOT_TEXT_NOTICE, books: shown, newest_orders: fitting(newest, ORDERS_BYTES) };
}

async function newestAlarms(caller: ToolCaller): Promise<Record<string, unknown>> {
  const { items, unseen } = await caller.call('alarms.log', {});
  return { notice: BOT_TEXT_NOTICE, unseen, alarms: fitting(items) };
}

const PARTS: Readonly<Record<BotPart, (botId: string, caller: ToolCaller) => Promise<Record<string, unknown>>>> = {
  record: async (bot_id, caller) => fullBot(await caller.call('bots.get', { bot_id })),
  logs: logsOf,
  metrics: metricsOf,
  state: stateOf,
  ledger: ledgerOf,
};

/** A settings schema as text; one that is too large to be read is cut, and says so. */
export function schemaText(schema: Record<string, unknown>): string {
  const field = valueField('schema', schema, SCHEMA_BYTES);
  return visibleText(isJsonObject(field.schema) ? field.schema : field);
}

/** Reads a resource; another user's and a missing one are both "Resource not found". */
export async function readResource(params: Record<string, unknown>, caller: ToolCaller, guide: string) {
  const { uri } = params;
  if (typeof uri !== 'string') throw new RpcError(RPC.invalidParams, 'params.uri must be a string');
  const ref = parseUri(uri);
  if (ref === null) throw notFound(uri);
  const one = (mimeType: string, text: string) => ({ contents: [{ uri, mimeType, text }] });
  if (ref.kind === 'guide') return one('text/markdown', guide);
  try {
    if (ref.kind === 'alarms') return one(JSON_TYPE, visibleText(await newestAlarms(caller)));
    if (ref.kind === 'bot') return one(JSON_TYPE, visibleText(await PARTS[ref.part](ref.botId, caller)));
    if (ref.kind === 'view') {
      const { html } = await caller.call('custom_bots.view', { name: ref.name, version: ref.version });
      if (html === null) throw notFound(uri);
      return one(VIEW_TYPE, html);
    }
    const { schema } = await caller.call('custom_bots.schema', { name: ref.name });
    return one('application/schema+json', schemaText(schema));
  } catch (error) {
    if (error instanceof PlatformError && error.status === 404) throw notFound(uri);
    throw error;
  }
}
