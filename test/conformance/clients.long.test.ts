import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { dataOf, fastAsking, makeKey, SEED_TOOLS } from '../support/mcp.ts';
import { ROOT, TestHost } from '../support/platform.ts';
import { deployTalking, type TalkingBot } from '../support/talking-bot.ts';
import { getBot } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';
import { loadV1 } from './sdk-v1.ts';

const host = new TestHost();
let key = '';
let talking: TalkingBot;
let botId = '';
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  key = await makeKey(host);
  talking = await deployTalking(host);
  botId = talking.bot.bot_id;
}, 60_000);
afterAll(() => host.stop());

type Finished = TestContext['onTestFinished'];
type Mode = 'auto' | 'legacy' | { pin: string };
type Answer = 'accept' | 'decline' | 'untick' | 'cannot ask';

const MODES: readonly {
  readonly label: string;
  readonly mode: Mode;
  readonly era: string;
  readonly version: string;
}[] = [
  { label: 'auto', mode: 'auto', era: 'modern', version: '2026-07-28' },
  { label: 'legacy', mode: 'legacy', era: 'legacy', version: '2025-11-25' },
  { label: 'pinned', mode: { pin: '2026-07-28' }, era: 'modern', version: '2026-07-28' },
];
const STEPS = ['Checking the settings', 'Starting', expect.stringContaining('The bot is')];

const transport = (headers: Record<string, string> = { 'x-api-key': key }, path = '/mcp') =>
  new StreamableHTTPClientTransport(new URL(`${host.url}${path}`), { requestInit: { headers } });

/** A connected client of the SDK's second line, which answers questions to its user in one way; `asked` holds them. */
async function connected(onTestFinished: Finished, mode: Mode, answer: Answer = 'cannot ask', path = '/mcp') {
  const asks = answer !== 'cannot ask';
  const client = new Client(
    { name: 'v2', version: '1' },
    { versionNegotiation: { mode }, ...(asks ? { capabilities: { elicitation: { form: {} } } } : {}) },
  );
  const asked: string[] = [];
  if (asks) {
    client.setRequestHandler('elicitation/create', (request) => {
      asked.push(request.params.message);
      if (answer === 'decline') return { action: 'decline' };
      return { action: 'accept', content: { confirm: answer === 'accept' } };
    });
  }
  await client.connect(transport(undefined, path));
  onTestFinished(() => client.close());
  return { client, asked };
}

const textOf = (result: { content: readonly { type: string; text?: unknown }[] }, at = 0): unknown =>
  result.content[at]?.text;
let made = 0;
const another = (enabled = true) => {
  made += 1;
  const config = { folder: host.dataDir, mark: `n${made}` };
  return { config: { name: `another ${made}`, type: 'realtime/talking', version: '1.0.0', enabled, settings: config } };
};

describe.each(MODES)('the second line of the SDK, $label', ({ mode, era, version }) => {
  it('connects in the newest era that both speak', async ({ onTestFinished }) => {
    const { client } = await connected(onTestFinished, mode);
    expect([client.getProtocolEra(), client.getNegotiatedProtocolVersion()]).toEqual([era, version]);
    expect(client.getInstructions()).toContain('bot_list');
  });

  it('lists the 14 tools and calls each kind', async ({ onTestFinished }) => {
    const { client } = await connected(onTestFinished, mode);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(SEED_TOOLS);
    // The client validates answers against the schema of the tool's output.
    const reads: readonly (readonly [string, Record<string, unknown>])[] = [
      ['auth_status', {}],
      ['bot_list', {}],
      ['bot_get', { bot_id: botId }],
      ['logs_get', { bot_id: botId }],
      ['logs_summary', { bot_id: botId }],
      ['bot_state_list', { bot_id: botId }],
      ['bot_state_get', { bot_id: botId, key: 'bot_state' }],
      ['bot_query', { bot_id: botId, query_path: '/status' }],
      ['custom_bot_list', {}],
      ['custom_bot_get', { name: 'talking' }],
      ['custom_bot_schema', { name: 'talking' }],
    ];
    for (const [name, args] of reads) {
      const result = await client.callTool({ name, arguments: args });
      expect([name, result.isError ?? false, textOf(result)]).toEqual([name, false, JSON.stringify(dataOf(result))]);
    }
  });

  it('deploys with progress, changes and deletes a bot', async ({ onTestFinished }) => {
    const { client } = await connected(onTestFinished, mode);
    const seen: unknown[] = [];
    const deployed = await client.callTool(
      { name: 'bot_deploy', arguments: another() },
      { onprogress: (step) => seen.push(step.message) },
    );
    expect(seen).toEqual(STEPS);
    const { bot_id, status } = dataOf(deployed);
    expect(status).toBe('running');
    const update = { bot_id, config: { enabled: false } };
    expect(dataOf(await client.callTool({ name: 'bot_update', arguments: update }))).toMatchObject({ enabled: false });
    // A client that cannot ask its user is not held up: what calls it has its own approval.
    const gone = await client.callTool({ name: 'bot_delete', arguments: { bot_id } });
    expect(dataOf(gone)).toMatchObject({ bot_id, deleted: true });
  });

  it('gets what goes wrong in a tool as its result, and what is wrong with a request as an error', async ({
    onTestFinished,
  }) => {
    const { client } = await connected(onTestFinished, mode);
    const nowhere = await client.callTool({ name: 'bot_get', arguments: { bot_id: 'nowhere' } });
    expect([nowhere.isError, textOf(nowhere)]).toEqual([true, 'Bot not found']);
    const wrong = await client.callTool({ name: 'logs_get', arguments: { bot_id: botId, limit: 900 } });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong, 1)).toContain('limit');
    await expect(client.callTool({ name: 'no_such', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  it('reads resources, prompts and completions', async ({ onTestFinished }) => {
    const { client } = await connected(onTestFinished, mode);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(`platform://bots/${botId}`);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(7);
    const { contents } = await client.readResource({ uri: `platform://bots/${botId}/state` });
    expect(JSON.stringify(contents)).toContain('mark');
    await expect(client.readResource({ uri: 'platform://bots/nowhere' })).rejects.toMatchObject({ code: -32602 });
    const prompt = await client.getPrompt({ name: 'diagnose_bot', arguments: { bot_id: botId } });
    expect(prompt.messages.map(({ content }) => content.type)).toEqual(['text', 'resource', 'text']);
    const ref = { type: 'ref/prompt' as const, name: 'diagnose_bot' };
    const argument = { name: 'bot_id', value: botId.slice(0, -1) };
    expect((await client.complete({ ref, argument })).completion.values).toEqual([botId]);
  });

  it('reaches the same by starting a command', async ({ onTestFinished }) => {
    const v1 = await loadV1();
    const client = v1.client();
    const env = { PATH: process.env.PATH ?? '', PLATFORM_URL: host.url, PLATFORM_API_KEY: key };
    await client.connect(v1.stdio(process.execPath, [join(ROOT, 'out/main/platform.js'), 'mcp'], env));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(SEED_TOOLS);
    const found = await client.callTool({ name: 'bot_get', arguments: { bot_id: botId } });
    expect(dataOf(found).bot_id).toBe(botId);
    const nowhere = await client.callTool({ name: 'bot_get', arguments: { bot_id: 'nowhere' } });
    expect([nowhere.isError, textOf(nowhere)]).toEqual([true, 'Bot not found']);
  });

  it.each([
    ['no key', {}, 'Authentication required'],
    ['a wrong key', { 'x-api-key': 'plat_wrong' }, 'API key is invalid'],
  ])('does not connect with %s', async (_, headers, text) => {
    const client = new Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
    const refused = await client.connect(transport(headers)).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(Error);
    // In the modern era this client keeps the body of a 401 to itself.
    if (era === 'legacy') expect(String(refused)).toContain(text);
    else expect(String(refused)).toContain('401');
  });
});

describe('a client that can ask its user', () => {
  const setUp = async (onTestFinished: Finished, answer: Answer) => {
    const { client, asked } = await connected(onTestFinished, 'auto', answer);
    const { bot_id } = dataOf(await client.callTool({ name: 'bot_deploy', arguments: another(false) }));
    const result = await client.callTool({ name: 'bot_delete', arguments: { bot_id } });
    return { bot_id: String(bot_id), asked, result };
  };

  it('asks before a bot is deleted, and deletes it after a yes', async ({ onTestFinished }) => {
    const { bot_id, asked, result } = await setUp(onTestFinished, 'accept');
    expect(asked).toEqual([expect.stringContaining(`Delete the bot "another ${made}" (${bot_id}, stopped)`)]);
    expect(dataOf(result)).toMatchObject({ bot_id, deleted: true });
    await expect(getBot(host, bot_id)).rejects.toThrow('Bot not found');
  });

  it.for(['decline', 'untick'] as const)('leaves the bot after a no: %s', async (answer, { onTestFinished }) => {
    const { bot_id, asked, result } = await setUp(onTestFinished, answer);
    expect(asked).toHaveLength(1);
    expect([result.isError, textOf(result)]).toEqual([true, 'The user did not confirm']);
    expect((await getBot(host, bot_id)).bot_id).toBe(bot_id);
  });

  it('does not ask about a bot that is not there', async ({ onTestFinished }) => {
    const { client, asked } = await connected(onTestFinished, 'auto', 'accept');
    const result = await client.callTool({ name: 'bot_delete', arguments: { bot_id: 'nowhere' } });
    expect([result.isError, textOf(result), asked]).toEqual([true, 'Bot not found', []]);
  });
});

describe('subscriptions', () => {
  it('tell of new lines once for each burst, and of bots that come and go', async ({ onTestFinished }) => {
    const { client } = await connected(onTestFinished, 'auto');
    const told: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', (one) => {
      told.push(one.params.uri);
    });
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      told.push('list');
    });
    const logs = `platform://bots/${botId}/logs`;
    const filter = { resourceSubscriptions: [logs], resourcesListChanged: true };
    const subscription = await client.listen(filter);
    expect(subscription.honoredFilter).toEqual(filter);
    const newest = async (): Promise<string> => JSON.stringify((await client.readResource({ uri: logs })).contents);

    for (const burst of ['first', 'second']) {
      const before = told.length;
      talking.say(...Array.from({ length: 100 }, (_, at) => `${burst} ${at}.`));
      await until(`news of the ${burst} burst`, () => told.length > before);
      await until(`the ${burst} burst`, async () => (await newest()).includes(`${burst} 99.`));
    }
    // A burst may be stored in two parts, each of which is told of; 200 lines are not.
    expect(told.length).toBeLessThanOrEqual(4);
    expect(new Set(told)).toEqual(new Set([logs]));

    const begun = performance.now();
    for (let count = 0; count < 10; count++) await client.callTool({ name: 'bot_deploy', arguments: another(false) });
    const quarters = Math.ceil((performance.now() - begun) / 250);
    await until('news of other bots', () => told.includes('list'));
    const lists = told.filter((one) => one === 'list').length;
    expect(lists, `in ${quarters} quarters of a second`).toBeLessThanOrEqual(quarters + 1);
    await subscription.close();
    expect(await subscription.closed).toBe('local');
  });

  it('end when the host stops, and say so', async ({ onTestFinished }) => {
    const other = new TestHost();
    onTestFinished(() => other.stop());
    await other.start();
    const client = new Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    onTestFinished(() => client.close());
    const headers = { 'x-api-key': await makeKey(other) };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${other.url}/mcp`), { requestInit: { headers } }));
    const subscription = await client.listen({ resourcesListChanged: true });
    await other.stop();
    expect(['graceful', 'remote']).toContain(await subscription.closed);
  });
});

describe('the first line of the SDK', () => {
  it('uses everything, without a session', async ({ onTestFinished }) => {
    const v1 = await loadV1();
    const client = v1.client();
    const http = v1.http(`${host.url}/mcp`, { 'x-api-key': key });
    await client.connect(http);
    onTestFinished(() => client.close());
    expect(http.sessionId).toBeUndefined();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(SEED_TOOLS);
    const seen: unknown[] = [];
    const deployed = await client.callTool({ name: 'bot_deploy', arguments: another() }, undefined, {
      onprogress: (step) => seen.push(step.message),
    });
    expect(seen).toEqual(STEPS);
    const { bot_id } = dataOf(deployed);
    const gone = await client.callTool({ name: 'bot_delete', arguments: { bot_id: String(bot_id) } });
    expect(dataOf(gone)).toMatchObject({ bot_id, deleted: true });
    const nowhere = await client.callTool({ name: 'bot_get', arguments: { bot_id: 'nowhere' } });
    expect([nowhere.isError, textOf(nowhere)]).toEqual([true, 'Bot not found']);
    expect((await client.listResources()).resources.length).toBeGreaterThan(1);
    const state = await client.readResource({ uri: `platform://bots/${botId}/state` });
    expect(state.contents[0]?.text).toContain('bot_state');
    const prompt = await client.getPrompt({ name: 'author_bot', arguments: { goal: 'trade' } });
    expect(prompt.messages).toHaveLength(2);
    const argument = { name: 'bot_id', value: 'bot_' };
    const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: 'diagnose_bot' }, argument });
    expect(completion.values).toContain(botId);
  });

  it.each([
    ['no key', {}, 'Authentication required'],
    ['a wrong key', { 'x-api-key': 'plat_wrong' }, 'API key is invalid'],
  ])('does not connect with %s, and is told why', async (_, headers, text) => {
    const v1 = await loadV1();
    await expect(v1.client().connect(v1.http(`${host.url}/mcp`, headers))).rejects.toThrow(text);
  });
});
