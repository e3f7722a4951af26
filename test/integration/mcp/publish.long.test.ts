import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bare, dataOf, fastAsking, JSON_HEADERS, makeKey, message, modern, STREAMS } from '../../support/mcp.ts';
import { TestHost } from '../../support/platform.ts';
import { call, publish } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

/** Publishing by an assistant, also one that leaves before it is done. */
const host = new TestHost();
let key = '';
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  key = await makeKey(host, { extended: true });
}, 60_000);
afterAll(() => host.stop());

/** A package of so many files that it takes a while to pack. */
const callOf = (name: string) => ({
  name: 'custom_bot_publish',
  arguments: {
    files: {
      'bot-config.yaml': `name: ${name}\nversion: "1.0.0"\ntype: realtime\nruntime: nodejs22\nentrypoints:\n  bot: bot.mjs\nschema:\n  bot: bot-schema.json\n`,
      'bot-schema.json': JSON.stringify({ title: name, description: 'test', type: 'object', properties: {} }),
      'bot.mjs': '',
      ...Object.fromEntries(Array.from({ length: 190 }, (_, i) => [`files/${i}.txt`, 'x'.repeat(8000)])),
    },
  },
});
const progress = { progressToken: 1 };
const LANES = [
  ['2025', (name: string) => ({ body: message('tools/call', { ...callOf(name), _meta: progress }), headers: STREAMS })],
  ['2026', (name: string) => modern('tools/call', callOf(name), progress)],
] as const;

interface Entry {
  readonly operation: string;
  readonly target: string | null;
  readonly outcome: string;
}

const trail = async (): Promise<Entry[]> =>
  (await call<{ items: Entry[] }>(host, 'GET', '/api/v1/audit?limit=200')).items;

describe.each(LANES)('a client of %s', (revision, ask) => {
  it('that leaves after the first word of progress does not end the host', async () => {
    const name = `left-${revision}`;
    const { body, headers } = ask(name);
    const sent = request(`${host.url}/mcp/extended`, {
      method: 'POST',
      headers: { ...JSON_HEADERS, ...headers, 'x-api-key': key },
    });
    sent.on('error', () => undefined);
    sent.end(JSON.stringify(body));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined);
    expect(String((await once(answer, 'data'))[0])).toContain('Packing');
    sent.destroy();
    await until('the entry of the call', async () => (await trail()).some(({ target }) => target === name));
    expect((await bare(host, key, message('ping'))).json().result).toEqual({});
  });
});

it('leaves the name of the custom bot in the audit trail, on every surface', async () => {
  expect((await publish(host, { name: 'over-http', bot: '' })).status).toBe(201);
  const { body, headers } = modern('tools/call', callOf('over-mcp'));
  const sent = await host.fetch('/mcp/extended', {
    method: 'POST',
    headers: { ...headers, 'x-api-key': key },
    body: JSON.stringify(body),
  });
  const { result } = (await sent.json()) as { result: object };
  expect(dataOf(result)).toMatchObject({ name: 'over-mcp', created: true });
  expect(await trail()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ operation: 'custom_bots.publish', target: 'over-http', outcome: 'ok' }),
      expect.objectContaining({ operation: 'mcp custom_bot_publish', target: 'over-mcp', outcome: 'ok' }),
    ]),
  );
});
