import { isJsonObject } from '../../../src/shared/json.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { type FuzzAnswer, fuzzHost } from '../host-session.ts';
import { mutateJson, mutateText } from '../mutate.ts';
import { expectThat, type FuzzTarget } from '../target.ts';

const bot = { bot_id: '$bot' };
const request = { name: 'over mcp', type: 'scheduled/fuzz', version: '1.0.0', schedule: '0 0 1 1 *', config: { n: 1 } };
const CALLS: readonly (readonly [string, object])[] = [
  ['auth_status', {}],
  ['bot_list', {}],
  ['bot_get', bot],
  ['bot_deploy', { config: request }],
  ['bot_update', { ...bot, config: { config: { n: 2 } } }],
  ['bot_delete', { bot_id: 'bot_x' }],
  ['logs_get', { ...bot, date: '2024-01-02', limit: 5 }],
  ['logs_summary', bot],
  ['bot_state_list', bot],
  ['bot_state_get', { ...bot, key: 'k' }],
  ['bot_query', { ...bot, query_path: '/status', params: { a: 1 }, timeout_sec: 10 }],
  ['custom_bot_list', {}],
  ['custom_bot_get', { name: 'fuzz', version: '1.0.0' }],
  ['custom_bot_schema', { name: 'fuzz' }],
  ['custom_bot_validate', { config_yaml: 'name: fuzz', schema_json: '{}' }],
  ['metrics_get', bot],
  ['custom_bot_files', { name: 'fuzz', version: '1.0.0', path: 'bot-config.yaml' }],
  ['custom_bot_diff', { name: 'fuzz', from: '1.0.0', to: '1.0.0' }],
  ['bot_events', { ...bot, kind: 'status', limit: 5 }],
];
const METHODS: readonly (readonly [string, object])[] = [
  ['initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } }],
  ['ping', {}],
  ['tools/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'platform://bots/$bot/logs' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'diagnose_bot', arguments: bot }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'diagnose_bot' }, argument: { name: 'bot_id', value: 'b' } },
  ],
  ['logging/setLevel', { level: 'info' }],
  ['server/discover', {}],
  ['subscriptions/listen', { notifications: { toolsListChanged: true } }],
  ['notifications/initialized', {}],
  ['notifications/cancelled', { requestId: 1 }],
];
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', '1999-01-01', 'x'];
const WORDS = ['{', '}', '"id":1', '"jsonrpc":"1.0"', '[', ']', 'null', '\0', '"method"'];
const INTERNAL = -32603;

function messageOf(random: SeededRandom): Record<string, unknown> {
  const [name, args] = random.pick(CALLS);
  const [method, params] =
    random.below(3) > 0 ? (['tools/call', { name, arguments: args }] as const) : random.pick(METHODS);
  const meta =
    random.below(3) === 0 ? { _meta: { ...META, ...(random.below(3) === 0 ? { progressToken: 1 } : {}) } } : {};
  const id = method.startsWith('notifications/') ? {} : { id: random.pick([1, 'a', 0, -1]) };
  return { jsonrpc: '2.0', ...id, method, params: { ...params, ...meta } };
}

function judge({ status, text }: FuzzAnswer): void {
  expectThat(status < 500, `${status} ${text?.slice(0, 500)}`);
  if (text === null || text === '') return;
  const value: unknown = JSON.parse(text);
  for (const answer of Array.isArray(value) ? value : [value]) {
    expectThat(isJsonObject(answer), `no object: ${text.slice(0, 300)}`);
    // What stands before the endpoint (address, key, size) answers as for every other path.
    if (answer.jsonrpc === undefined) {
      const told = isJsonObject(answer.error) && typeof answer.error.code === 'string' && status >= 400;
      expectThat(told, `neither an answer nor an error: ${text.slice(0, 300)}`);
      continue;
    }
    expectThat(
      (answer.result === undefined) !== (answer.error === undefined),
      `both or neither: ${text.slice(0, 300)}`,
    );
    const error = isJsonObject(answer.error) ? answer.error : {};
    expectThat(error.code !== INTERNAL && !/"code":\s*"INTERNAL"|\bINTERNAL\b/.test(text), text.slice(0, 500));
  }
}

/** Messages to the endpoint for assistants, with parts that are wrong, over a real host. */
export const mcp: FuzzTarget = {
  name: 'mcp',
  limitMs: 30_000,
  make(random: SeededRandom) {
    let message: unknown = messageOf(random);
    for (let edits = random.below(3); edits > 0; edits--) message = mutateJson(random, message);
    if (random.below(20) === 0) message = [message, messageOf(random)];
    const text = JSON.stringify(message) ?? '';
    const headers = {
      'content-type': random.below(20) === 0 ? 'text/plain' : 'application/json',
      ...(random.below(2) === 0 ? { accept: 'application/json, text/event-stream' } : {}),
      ...(random.below(3) === 0 ? { 'mcp-protocol-version': random.pick(VERSIONS) } : {}),
    };
    const body = random.below(8) === 0 ? mutateText(random, text, WORDS) : text;
    return JSON.stringify({ method: 'POST', path: random.pick(['/mcp', '/mcp/extended']), headers, body });
  },
  async open(dir) {
    const host = await fuzzHost(dir);
    return {
      async run(text) {
        judge(await host.send(JSON.parse(text)));
        await host.settle();
      },
      close: () => host.close(),
    };
  },
};
