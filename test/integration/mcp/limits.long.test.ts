import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  bare,
  dataOf,
  events,
  JSON_HEADERS,
  makeKey,
  mcpHost,
  message,
  modern,
  post,
  STREAMS,
} from '../../support/mcp.ts';
import { listen } from '../../support/mcp-listen.ts';
import { testHost } from '../../support/platform.ts';
import { until } from '../../support/until.ts';

/** Calls that change something which a key may make at once. */
const WRITES = 60;
const SUBSCRIPTIONS = 64;
const isTooMany = (answer: { error?: { code: number; data: { code: string } } }): boolean =>
  answer.error?.code === 429 && answer.error.data.code === 'RATE_LIMITED';
const WRITE = { name: 'bot_update', arguments: { bot_id: 'nowhere', config: { name: 'x' } } };

it('a key that changes things in a loop is told to wait, in every lane; reading goes on', async ({
  onTestFinished,
}) => {
  const host = await mcpHost(onTestFinished);
  const key = await makeKey(host);
  const write = () => message('tools/call', WRITE);
  // Calls done before the limit are answered, also in a batch: an assistant without the answer would repeat them.
  const batch = await bare(host, key, Array.from({ length: 50 }, write));
  const next = await bare(host, key, Array.from({ length: 20 }, write));
  expect([batch.status, next.status]).toEqual([200, 200]);
  const outcomes = [...batch.json(), ...next.json()].map((one) => one.error?.code ?? one.result.content[0].text);
  expect(outcomes.slice(0, WRITES)).toEqual(Array.from({ length: WRITES }, () => 'Bot not found'));
  expect(outcomes.at(-1)).toBe(429);

  const alone = await until('a refusal', async () => {
    const answer = await bare(host, key, write());
    return answer.status === 429 && answer;
  });
  expect(alone.headers['retry-after']).toBe('1');
  expect(alone.json().error).toMatchObject({ code: 429, message: 'Too many requests', data: { code: 'RATE_LIMITED' } });

  // One call more is let in each second: on a busy machine that is between any two of these.
  const told = expect.objectContaining({
    isError: true,
    content: [
      { type: 'text', text: 'Too many requests' },
      { type: 'text', text: expect.stringContaining('Wait') },
    ],
  });
  const untilTold = (lane: string, ask: () => Promise<unknown>) =>
    until(`a refusal in the ${lane}`, async () => told.asymmetricMatch(await ask()));
  const { body, headers } = modern('tools/call', WRITE);
  await untilTold('modern lane', async () => (await bare(host, key, body, headers)).json().result);
  const watched = () => message('tools/call', { ...WRITE, _meta: { progressToken: 1 } });
  await untilTold(
    'lane of progress',
    async () => events((await bare(host, key, watched(), STREAMS)).text).at(-1)?.result,
  );

  const read = await bare(host, key, message('tools/call', { name: 'bot_list', arguments: {} }));
  expect(dataOf(read.json().result).count).toBe(0);
  const other = await bare(host, await makeKey(host), write());
  expect(other.json().result.content[0].text).toBe('Bot not found');
});

it('a call that is costly counts by its work, and each message of a batch counts', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished, (dir) =>
    writeFileSync(join(dir, 'settings.json'), JSON.stringify({ rate_limit: 5 })),
  );
  const ask = async (key: string, body: unknown) =>
    post(`${host.url}/mcp/extended`, JSON.stringify(body), { 'x-api-key': key, ...JSON_HEADERS });
  const properties = Object.fromEntries(
    Array.from({ length: 1000 }, (_, i) => [
      `p${i}`,
      { type: 'string', pattern: `^[a-z]{1,20}(foo|bar)?[0-9]{2,5}${i}$` },
    ]),
  );
  const config = {
    name: 'costly',
    version: '1.0.0',
    type: 'realtime',
    runtime: 'nodejs24',
    entrypoints: { bot: 'src/bot.mjs' },
    schema: { bot: 'bot-schema.json' },
  };
  const files = {
    'bot-config.yaml': JSON.stringify(config),
    'bot-schema.json': JSON.stringify({ type: 'object', properties }),
    'src/bot.mjs': '',
  };
  const validate = () => message('tools/call', { name: 'custom_bot_validate', arguments: { files } });

  // A schema is compiled only with a config that leads to it. A machine that is busy for the seconds in which the debt is
  // paid back is given another try.
  await until('a refusal after work', async () => {
    const key = await makeKey(host, { extended: true });
    const batch = (await ask(key, [validate(), message('ping'), validate()])).json();
    expect(dataOf(batch.at(0).result)).toMatchObject({ valid: true });
    return batch.slice(1).every(isTooMany) && (await ask(key, message('ping'))).status === 429;
  });

  const many = await makeKey(host, { extended: true });
  const pings = (
    await ask(
      many,
      Array.from({ length: 40 }, () => message('ping')),
    )
  ).json();
  expect(pings.at(0)).toMatchObject({ result: {} });
  expect(isTooMany(pings.at(-1))).toBe(true);
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
  for (const end = Date.now() + 60_000; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
