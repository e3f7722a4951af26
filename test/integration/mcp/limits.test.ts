import { expect, it } from 'vitest';
import { bare, events, makeKey, mcpHost, message, modern, STREAMS } from '../../support/mcp.ts';
import { listen } from '../../support/mcp-listen.ts';

/** Calls that change something which a key may make at once. */
const WRITES = 60;
const SUBSCRIPTIONS = 64;
const WRITE = { name: 'bot_update', arguments: { bot_id: 'nowhere', config: { name: 'x' } } };

it('a key that changes things in a loop is told to wait, in every lane; reading goes on', async ({
  onTestFinished,
}) => {
  const host = await mcpHost(onTestFinished);
  const key = await makeKey(host);
  const write = () => message('tools/call', WRITE);
  // What was done before the limit is told, also in a batch: an assistant that is not told does it again.
  const batch = await bare(host, key, Array.from({ length: 50 }, write));
  const next = await bare(host, key, Array.from({ length: 20 }, write));
  expect([batch.status, next.status]).toEqual([200, 200]);
  const outcomes = [...batch.json(), ...next.json()].map((one) => one.error?.code ?? one.result.content[0].text);
  expect(outcomes.slice(0, WRITES)).toEqual(Array.from({ length: WRITES }, () => 'Bot not found'));
  expect(outcomes.at(-1)).toBe(429);

  const alone = await bare(host, key, write());
  expect(alone.status).toBe(429);
  expect(alone.headers['retry-after']).toBe('1');
  expect(alone.json().error).toMatchObject({ code: 429, message: 'Too many requests', data: { code: 'RATE_LIMITED' } });

  const { body, headers } = modern('tools/call', WRITE);
  const inModern = (await bare(host, key, body, headers)).json();
  const watched = message('tools/call', { ...WRITE, _meta: { progressToken: 1 } });
  const onStream = events((await bare(host, key, watched, STREAMS)).text).at(-1);
  const told = { isError: true, content: [{ text: 'Too many requests' }, { text: expect.stringContaining('Wait') }] };
  expect([inModern, onStream]).toMatchObject([{ result: told }, { result: told }]);

  const read = await bare(host, key, message('tools/call', { name: 'bot_list', arguments: {} }));
  expect(read.json().result.structuredContent.count).toBe(0);
  const other = await bare(host, await makeKey(host), write());
  expect(other.json().result.content[0].text).toBe('Bot not found');
});

it('a key holds a limited number of subscriptions, and may open one again after it closed one', async ({
  onTestFinished,
}) => {
  const host = await mcpHost(onTestFinished);
  const key = await makeKey(host);
  const wanted = { resourcesListChanged: true };
  const open = await Promise.all(Array.from({ length: SUBSCRIPTIONS }, () => listen(host, key, wanted)));
  await expect(listen(host, key, wanted)).rejects.toThrow(/^429 .*A key holds at most 64 subscriptions/);
  (await listen(host, await makeKey(host), wanted)).close();
  open.pop()?.close();
  const again = await listenAgain(() => listen(host, key, wanted));
  for (const stream of [...open, again]) stream.close();
});

/** The host hears of a closed connection a little later than the one who closes it. */
async function listenAgain<T>(attempt: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + 10_000; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
