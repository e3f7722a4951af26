import { expect, it } from 'vitest';
import { bare, dataOf, makeKey, mcpHost, message, modern, post, secondUser } from '../../support/mcp.ts';
import { deployTiny } from '../../support/tiny-bot.ts';

const BOT = 'setInterval(() => {}, 60_000);\n';
const QUERY = `
import { query } from '@bot-platform/sdk';
query.handler('/status', () => ({ well: true }));
query.run();
`;
const URI = 'ui://bots/viewed/1.0.0/view';

it('names the view of a bot in the results about it, and gives its document', async ({ onTestFinished }) => {
  const host = await mcpHost(onTestFinished);
  const key = await makeKey(host);
  const view = '<!doctype html><p>here</p>';
  const { bot_id } = await deployTiny(host, { name: 'viewed', bot: BOT, query: QUERY, view });
  const plain = await deployTiny(host, { name: 'plain', bot: BOT, query: QUERY });
  const tool = async (name: string, input: object) =>
    (await bare(host, key, message('tools/call', { name, arguments: input }))).json().result;

  const got = await tool('bot_get', { bot_id });
  expect(got._meta).toEqual({ ui: { resourceUri: URI } });
  // The text is complete for clients that show no view: it is that of a bot without one.
  const without = await tool('bot_get', { bot_id: plain.bot_id });
  expect(without._meta).toBeUndefined();
  expect(Object.keys(dataOf(got)).sort()).toEqual(Object.keys(dataOf(without)).sort());
  const asked = await tool('bot_query', { bot_id, query_path: '/status' });
  expect(asked._meta).toEqual({ ui: { resourceUri: URI } });
  expect(dataOf(asked).result).toEqual({ well: true });

  // Clients of the 2026 revision are told the same.
  const { body, headers } = modern('tools/call', { name: 'bot_get', arguments: { bot_id } });
  const newer = await post(`${host.url}/mcp`, JSON.stringify(body), { ...headers, 'x-api-key': key });
  expect(newer.text).toContain(`"resourceUri":"${URI}"`);

  const read = async (uri: string, by = key) => (await bare(host, by, message('resources/read', { uri }))).json();
  expect((await read(URI)).result).toEqual({
    contents: [{ uri: URI, mimeType: 'text/html;profile=mcp-app', text: view }],
  });
  const stranger = await makeKey(host, {}, await secondUser(host));
  for (const [uri, by] of [
    ['ui://bots/plain/1.0.0/view', key],
    ['ui://bots/viewed/9.9.9/view', key],
    ['ui://bots/..%2fviewed/1.0.0/view', key],
    [URI, stranger],
  ] as const) {
    expect((await read(uri, by)).error.message).toBe('Resource not found');
  }
});
