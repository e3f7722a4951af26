import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { call, publish } from '../support/tiny-bot.ts';

/**
 * A schema with a remote reference is refused, and nothing is fetched: a server at that address gets no request. Valid
 * references are in test/unit/packaging/bot-schema.test.ts.
 */
const host = new TestHost();
let heard = 0;
const listener = createServer((socket) => {
  heard += 1;
  socket.destroy();
});
let at = '';
beforeAll(async () => {
  await host.start();
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  at = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(async () => {
  listener.close();
  await host.stop();
});

const CONFIG =
  'name: refers\nversion: "1.0.0"\ntype: realtime\nruntime: nodejs22\nentrypoints: {bot: src/bot.mjs}\nschema: {bot: bot-schema.json}\n';

it('refuses references that lead out of the schema, and opens no connection and no file', async () => {
  const references = [
    `http://${at}/s.json`,
    `https://${at}/s.json`,
    `//${at}/s.json`,
    `ftp://${at}/s`,
    'file:///etc/passwd',
    '/etc/passwd',
    '../../../host.json',
    `http://${at}/s.json#/definitions/a`,
    'urn:uuid:0',
  ];
  for (const $ref of references) {
    for (const place of [
      { properties: { a: { $ref } } },
      { properties: {}, allOf: [{ $ref }] },
      { $id: `http://${at}/base.json`, properties: { a: { $ref } } },
    ]) {
      const schema = { type: 'object', title: 't', description: 'd', ...place };
      const answer = await call<{ valid: boolean; problems: { message: string }[] }>(
        host,
        'POST',
        '/api/v1/custom-bots/validate',
        { config_yaml: CONFIG, schema_json: JSON.stringify(schema) },
      );
      expect([$ref, answer.valid]).toEqual([$ref, false]);
      expect(JSON.stringify(answer)).not.toContain('root:');
    }
    const answer = await publish(host, {
      name: 'refers',
      bot: '',
      schema: { type: 'object', properties: { a: { $ref } } },
    });
    expect([$ref, answer.status]).toEqual([$ref, 400]);
  }
  expect(heard).toBe(0);
  await prove('S4', 'schemas that refer elsewhere', {
    tried: references.length * 4,
    refused: references.length * 4,
    'connections opened': heard,
  });
});
