import type { HostSocket } from '../../../data/socket.ts';

type Arguments = Readonly<Record<string, unknown>>;
type Reader = Pick<HostSocket, 'read'>;

/** One thing that a view may ask: it reads this one bot. The host checks the arguments, and masks what it answers. */
interface ViewTool {
  /** Names of the arguments; any other is refused. */
  readonly takes: readonly string[];
  /** True for one that may start a program of the bot. */
  readonly asksBot?: boolean;
  readonly run: (reader: Reader, bot_id: string, given: Arguments) => Promise<object>;
}

/** Arguments as the host is asked: it refuses those that are not what its schema says. */
const asInput = <T>(bot_id: string, given: Arguments): T => ({ ...given, bot_id }) as T;

const metricsGet: ViewTool = {
  takes: ['type', 'limit'],
  async run(reader, bot_id, { type, ...rest }) {
    if (type === undefined) {
      const { types } = await reader.read('metrics.get', { bot_id });
      const metrics = types.map(({ type: name, count, latest }) => ({
        type: name,
        count,
        at: latest.ts,
        data: latest.data,
      }));
      return { bot_id, metrics, truncated: false };
    }
    const page = await reader.read('metrics.list', asInput(bot_id, { type, limit: 50, ...rest }));
    return { bot_id, type, metrics: page.events.map(({ ts, data }) => ({ at: ts, data })), truncated: page.truncated };
  },
};

const metricsEvents: ViewTool = {
  takes: ['type', 'after', 'before', 'limit'],
  run: (reader, bot_id, given) => reader.read('metrics.list', asInput(bot_id, given)),
};

const metricsSeries: ViewTool = {
  takes: ['type', 'field', 'symbol', 'from', 'to', 'points'],
  run: (reader, bot_id, given) => reader.read('metrics.series', asInput(bot_id, given)),
};

const stateList: ViewTool = {
  takes: [],
  async run(reader, bot_id) {
    const { keys, total_bytes } = await reader.read('state.list', { bot_id });
    const shown = keys.map(({ key, size, modified_at }) => ({ key, size_bytes: size, modified_at }));
    return { bot_id, keys: shown, count: keys.length, total_bytes, truncated: false };
  },
};

const stateGet: ViewTool = {
  takes: ['key'],
  async run(reader, bot_id, given) {
    const { key, value, modified_at } = await reader.read('state.get', asInput(bot_id, given));
    return { bot_id, key, modified_at, value, truncated: false };
  },
};

const query: ViewTool = {
  takes: ['query_path', 'params', 'timeout_sec'],
  asksBot: true,
  async run(reader, bot_id, { query_path, ...rest }) {
    const { duration_ms, result } = await reader.read('bots.query', asInput(bot_id, { path: query_path, ...rest }));
    return { bot_id, query_path, duration_ms, result, truncated: false };
  },
};

const ledger: ViewTool = {
  takes: ['by', 'from', 'to', 'zone', 'in'],
  run: (reader, bot_id, given) => reader.read('ledger.get', asInput(bot_id, given)),
};

/** What a view can ask, by name. Names that assistants know have the same arguments and answers there. */
export const VIEW_TOOLS: ReadonlyMap<string, ViewTool> = new Map([
  ['metrics_get', metricsGet],
  ['metrics_events', metricsEvents],
  ['metrics_series', metricsSeries],
  ['bot_state_list', stateList],
  ['bot_state_get', stateGet],
  ['bot_query', query],
  ['ledger_get', ledger],
]);
