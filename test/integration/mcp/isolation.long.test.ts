import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  dataOf,
  fastAsking,
  JSON_HEADERS,
  makeKey,
  message,
  modern,
  post,
  SEED_TOOLS,
  secondUser,
} from '../../support/mcp.ts';
import { type Listener, listen } from '../../support/mcp-listen.ts';
import { TestHost } from '../../support/platform.ts';
import { deployTalking, type TalkingBot } from '../../support/talking-bot.ts';
import { getBot, lineUntil } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

/** Two users of one host: for the second, what the first owns looks the same as what does not exist. */
const host = new TestHost();
const NAMES = {
  custom: 'talking-secretly',
  bot: 'talking-secretly',
  key: 'key-of-the-first',
  mark: 'mark-of-the-first',
};
const ABSENT = { bot: 'bot_00000000000000000000000000', custom: 'no-such-custom-bot' };
let key = '';
let firstKey = '';
let talking: TalkingBot;
let botId = '';
/** Everything that the second user was ever answered. */
const heard: string[] = [];

beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  firstKey = await makeKey(host, { name: NAMES.key });
  talking = await deployTalking(host, NAMES.bot, NAMES.mark);
  botId = talking.bot.bot_id;
  key = await makeKey(host, { name: 'key of the second' }, await secondUser(host));
});
afterAll(() => host.stop());

type Ask = (method: string, params: Record<string, unknown>) => Promise<unknown>;

const posted = async (path: string, body: unknown, headers: Record<string, string>): Promise<unknown> => {
  const answer = await post(`${host.url}${path}`, JSON.stringify(body), { 'x-api-key': key, ...headers });
  heard.push(`${JSON.stringify(answer.headers)} ${answer.text}`);
  const { result, error } = answer.json();
  return { status: answer.status, result, error };
};

/** Ways in which the second user may ask; the last one is asked to confirm before something is deleted. */
const LANES: readonly (readonly [string, Ask])[] = [
  ['bare', (method, params) => posted('/mcp', message(method, params), JSON_HEADERS)],
  [
    'modern',
    (method, params) => {
      const { body, headers } = modern(method, params);
      return posted('/mcp', body, headers);
    },
  ],
  [
    'modern, with questions',
    (method, params) => {
      const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
      const { body, headers } = modern(method, params, capabilities);
      return posted('/mcp', body, headers);
    },
  ],
];

/** A call of each tool about a bot and a custom bot. */
const CALLS: Readonly<Record<(typeof SEED_TOOLS)[number], (bot_id: string, name: string) => object>> = {
  auth_status: () => ({}),
  bot_list: () => ({}),
  bot_get: (bot_id) => ({ bot_id }),
  bot_deploy: (_, name) => ({
    config: { name: 'mine', type: `realtime/${name}`, version: '1.0.0', settings: { folder: '/', mark: 'x' } },
  }),
  bot_update: (bot_id) => ({ bot_id, config: { name: 'mine now' } }),
  bot_delete: (bot_id) => ({ bot_id }),
  logs_get: (bot_id) => ({ bot_id, limit: 500 }),
  logs_summary: (bot_id) => ({ bot_id }),
  bot_state_list: (bot_id) => ({ bot_id }),
  bot_state_get: (bot_id) => ({ bot_id, key: 'bot_state' }),
  bot_query: (bot_id) => ({ bot_id, query_path: '/status' }),
  custom_bot_list: () => ({}),
  custom_bot_get: (_, name) => ({ name }),
  custom_bot_schema: (_, name) => ({ name, version: '1.0.0' }),
};
/** Tools that name nothing: they show what the caller has. */
const EMPTY: Readonly<Record<string, object>> = {
  auth_status: { user: 'second', bots: 0, only_bots: null },
  bot_list: { bots: [], count: 0, by_status: {}, truncated: false },
  custom_bot_list: { custom_bots: [], count: 0, truncated: false },
};
const RESOURCES: readonly ((bot: string, custom: string) => string)[] = [
  (bot) => `platform://bots/${bot}`,
  (bot) => `platform://bots/${bot}/logs`,
  (bot) => `platform://bots/${bot}/metrics`,
  (bot) => `platform://bots/${bot}/state`,
  (bot) => `platform://bots/${bot}/ledger`,
  (_, custom) => `platform://custom-bots/${custom}/schema`,
];

/** An answer as text, with what the caller itself has named left out. */
const shape = (answer: unknown, asked: readonly string[]): string =>
  asked.reduce((text, word) => text.replaceAll(word, '…'), JSON.stringify(answer));

describe.each(LANES)('asking as the second user, %s', (_, ask) => {
  /** The answer about the first user's things, which must equal the one about missing ones. */
  const same = async (method: string, params: (bot: string, custom: string) => Record<string, unknown>) => {
    const theirs = await ask(method, params(botId, NAMES.custom));
    // It is judged here that it says no more than the caller has said itself.
    heard[heard.length - 1] = shape(heard.at(-1), [botId, NAMES.custom]);
    const nothing = await ask(method, params(ABSENT.bot, ABSENT.custom));
    const own = [botId, NAMES.custom];
    expect(shape(theirs, own)).toBe(shape(nothing, [ABSENT.bot, ABSENT.custom]));
    return theirs;
  };

  it.each(SEED_TOOLS)('%s tells nothing of the first', async (name) => {
    const args = CALLS[name];
    const answer = await same('tools/call', (bot, custom) => ({ name, arguments: args(bot, custom) }));
    const own = EMPTY[name];
    if (own !== undefined) expect(dataOf((answer as { result: object }).result)).toMatchObject(own);
    else {
      const text = name.startsWith('custom_bot') || name === 'bot_deploy' ? 'Custom bot not found' : 'Bot not found';
      expect(answer).toMatchObject({ status: 200, result: { isError: true, content: [{ text }, { type: 'text' }] } });
    }
  });

  it('lists no resource but the guide and its own alarms', async () => {
    const answer = await ask('resources/list', {});
    expect(answer).toMatchObject({
      result: { resources: [{ uri: 'platform://guide/authoring' }, { uri: 'platform://alarms' }] },
    });
  });

  it.each(RESOURCES.map((uri) => [uri('<bot>', '<custom bot>'), uri] as const))(
    'cannot read %s',
    async (_name, uri) => {
      const answer = await same('resources/read', (bot, custom) => ({ uri: uri(bot, custom) }));
      expect(answer).toMatchObject({ error: { code: -32602, message: 'Resource not found' } });
    },
  );

  it('gets no prompt about a bot of the first', async () => {
    const bot = await same('prompts/get', (bot_id) => ({ name: 'diagnose_bot', arguments: { bot_id } }));
    expect(bot).toMatchObject({ error: { code: -32602, message: 'Bot not found' } });
    const custom = await same('prompts/get', (_bot, name) => ({ name: 'review_before_deploy', arguments: { name } }));
    expect(custom).toMatchObject({ error: { code: -32602, message: 'Custom bot not found' } });
  });

  it.each(['bot_id', 'name'])('completes no %s of the first', async (name) => {
    const ref = { type: 'ref/prompt', name: name === 'name' ? 'review_before_deploy' : 'diagnose_bot' };
    const answer = await ask('completion/complete', { ref, argument: { name, value: '' } });
    expect(answer).toMatchObject({ result: { completion: { values: [], total: 0 } } });
  });
});

describe('subscribing as the second user', () => {
  it.each(['', '/logs', '/metrics', '/state'])('is refused for platform://bots/<bot>%s', async (part) => {
    const about = async (bot: string): Promise<string> => {
      const uri = `platform://bots/${bot}${part}`;
      const { body, headers } = modern('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } });
      const answer = await posted('/mcp', { ...body, id: 1 }, headers);
      expect(answer).toMatchObject({ error: { code: -32602, message: 'Resource not found' } });
      return shape(answer, [bot]);
    };
    expect(await about(botId)).toBe(await about(ABSENT.bot));
    heard.splice(-2);
  });

  it('is told of nothing that the first does', async () => {
    const streams: Listener[] = [];
    for (const who of [firstKey, key]) streams.push(await listen(host, who, { resourcesListChanged: true }));
    const [first, second] = streams;
    const other = await deployTalking(host, `${NAMES.bot}-too`, NAMES.mark);
    other.say('a line of the first');
    await lineUntil(host, other.bot.bot_id, 'a line of the first');
    await until('news for the first', () => (first?.changes().length ?? 0) > 0);
    const before = first?.changes().length ?? 0;
    await host.fetch(`/api/v1/bots/${other.bot.bot_id}`, { method: 'DELETE' });
    // Told of a later change, the first was told of the earlier one long ago: so would the second have been.
    await until('further news for the first', () => (first?.changes().length ?? 0) > before);
    expect(second?.changes()).toEqual([]);
    heard.push(second?.text() ?? '');
    for (const stream of streams) stream.close();
  });
});

describe('after all of that', () => {
  it('no answer had a name or id of the first in it', () => {
    expect(heard.length).toBeGreaterThan(100);
    const theirs = new RegExp(`${botId}|${Object.values(NAMES).join('|')}`);
    expect(heard.filter((text) => theirs.test(text))).toEqual([]);
  });

  it('the bot of the first never noticed', async () => {
    expect(await getBot(host, botId)).toMatchObject({ name: NAMES.bot, status: 'running', restarts: 0 });
  });

  it('the first is answered where the second was not', async () => {
    const get = message('tools/call', { name: 'bot_get', arguments: { bot_id: botId } });
    const answer = await post(`${host.url}/mcp`, JSON.stringify(get), { 'x-api-key': firstKey, ...JSON_HEADERS });
    expect(dataOf(answer.json().result)).toMatchObject({ bot_id: botId, name: NAMES.bot });
  });
});
