import { afterAll, beforeAll, expect, it } from 'vitest';
import { fastAsking } from '../support/mcp.ts';
import { TestHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { call, publish } from '../support/tiny-bot.ts';

/**
 * S5, and failure 13 of peers: a schema with a pattern, a depth, a circle or a number of properties that means harm is
 * refused fast, or costs its limit and no more, at publishing and at deploying. The single limits are in
 * test/unit/packaging/bot-schema.test.ts, config-validator.test.ts and deadline.test.ts.
 */
const host = new TestHost();
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
});
afterAll(() => host.stop());

/** As text: no program that turns values into text could write it. */
const FIVE_THOUSAND = `{"type":"object","title":"t","description":"d","properties":${'{"a":{"type":"object","properties":'.repeat(5000)}{}${'}}'.repeat(5000)}}`;
const CONFIG =
  'name: deep-schema\nversion: "1.0.0"\ntype: realtime\nruntime: nodejs22\nentrypoints: {bot: b.mjs}\nschema: {bot: s.json}\n';
const BACKTRACKING = ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(x+x+)+y', '^([a-zA-Z0-9]+\\s?)*$', '^(.*?,){25}P'];
const pattern = (text: string): object => ({ properties: { a: { type: 'string', pattern: text } } });
/** Each schema, and the expected message. */
const REFUSED: Readonly<Record<string, readonly [schema: object, told: string]>> = {
  'a circle through itself alone': [
    { properties: { a: { $ref: '#/definitions/a' } }, definitions: { a: { $ref: '#/definitions/a' } } },
    'leads back to itself',
  ],
  'a pattern that looks ahead': [pattern('(?=a)b'), 'look-ahead'],
  'a pattern that refers back': [pattern('(a)\\1'), 'back-reference'],
  'a pattern that is none': [pattern('('), 'not a valid regular expression'],
  'a pattern that counts without end': [pattern('((a{1,1000}){1,1000}){1,1000}'), 'not a valid regular expression'],
};
const wide = (count: number): object => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: 'string' }])),
});

it('are refused, or cost no more than their limit, while others are answered', async () => {
  let slowest = 0;
  const timed = async <T>(work: Promise<T>): Promise<T> => {
    const begun = performance.now();
    const result = await work;
    slowest = Math.max(slowest, performance.now() - begun);
    return result;
  };
  for (const [what, [schema, told]] of Object.entries(REFUSED)) {
    const answer = await timed(
      publish(host, { name: 'hostile-schema', bot: '', schema: { type: 'object', ...schema } }),
    );
    const text = await answer.text();
    expect([what, answer.status, text]).toEqual([what, 400, expect.stringContaining('INVALID_PACKAGE')]);
    expect([what, text]).toEqual([what, expect.stringContaining(told)]);
  }
  const deep = JSON.stringify({ config_yaml: CONFIG, schema_json: FIVE_THOUSAND });
  const judged = await timed(host.fetch('/api/v1/custom-bots/validate', { method: 'POST', body: deep }));
  expect([judged.status, await judged.text()]).toEqual([200, expect.stringContaining('deeper than 64 levels')]);
  const properties = Object.fromEntries(BACKTRACKING.map((pattern, n) => [`p${n}`, { type: 'string', pattern }]));
  const patterns = await publish(host, { name: 'patterns', bot: '', schema: { type: 'object', properties } });
  expect(patterns.status, await patterns.clone().text()).toBe(201);
  for (const name of Object.keys(properties)) {
    const config = { [name]: `${'a'.repeat(50_000)}!` };
    const request = { name, type: 'realtime/patterns', version: '1.0.0', config, enabled: false };
    const answer = await timed(host.fetch('/api/v1/bots', { method: 'POST', body: JSON.stringify(request) }));
    expect([name, answer.status]).toEqual([name, 400]);
  }
  // Properties in their hundreds are read, more than thousands are told to be too many; neither takes long.
  for (const [count, status] of [
    [1000, 201],
    [10_000, 400],
  ] as const) {
    const schema = { type: 'object', ...wide(count) };
    const answer = await timed(publish(host, { name: `wide-${count}`, bot: '', schema }));
    expect([count, answer.status]).toEqual([count, status]);
  }
  expect(await call(host, 'GET', '/healthz')).toEqual({ status: 'ok' });
  // Two seconds are the limit of the work; the rest is for a machine that is busy.
  expect(slowest).toBeLessThan(20_000);
  const tried = Object.keys(REFUSED).length + BACKTRACKING.length + 3;
  await prove('S5', 'schemas that mean harm', { tried, 'slowest, ms': Math.round(slowest) });
});
