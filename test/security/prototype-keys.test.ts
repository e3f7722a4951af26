import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeContainers } from '../support/docker/containers.ts';
import { dockerForTests } from '../support/docker.ts';
import { bare, fastAsking, makeKey, message } from '../support/mcp.ts';
import { TestHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { call, deployTiny, lineUntil, logsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/**
 * S6: names such as `__proto__` and `constructor` are data on their way through config, parameters, metrics, log fields,
 * state and results, and change no object of the host. A line that is nested too deeply to be turned into text again is
 * text, and stops nothing.
 */
const found = await dockerForTests();
const ENGINES = [
  { engine: 'process', address: null, skip: false },
  { engine: 'docker', address: 'host' in found ? found.host : null, skip: 'reason' in found },
] as const;

const EVIL = '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"value":1}';
const LEVELS = 20_000;
const BOT = `
import json, os, sys, time
def out(text): print(text, flush=True)
out('{"_metric":"evil","__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"value":1}')
out('{"_metric":"__proto__","value":2}')
out('{"message":"fields","__proto__":{"polluted":"yes"},"constructor":{"polluted":"yes"}}')
for head in ('"message":"deep"', '"_metric":"deep"', '"x":1'):
    out('{' + head + ',"a":' + '['*${LEVELS} + ']'*${LEVELS} + '}')
    out('{' + head + ',"a":' + '{"a":'*${LEVELS / 4} + '1' + '}'*${LEVELS / 4} + '}')
os.makedirs(os.environ['STATE_DIR'], exist_ok=True)
with open(os.environ['STATE_DIR'] + '/evil.json', 'w') as f: f.write('${EVIL}')
with open(os.environ['STATE_DIR'] + '/deep.json', 'w') as f: f.write('['*500000 + ']'*500000)
out('config ' + os.environ['BOT_CONFIG'])
while True: time.sleep(60)
`;
const QUERY = `
import json, os
from http.server import BaseHTTPRequestHandler, HTTPServer
class H(BaseHTTPRequestHandler):
    def do_POST(self):
        sent = self.rfile.read(int(self.headers['content-length'])).decode()
        data = '['*1000000 + ']'*1000000 if self.path.startswith('/deep') else sent
        body = ('{"status":"ok","data":' + data + '}').encode()
        self.send_response(200); self.send_header('content-length', str(len(body))); self.end_headers(); self.wfile.write(body)
HTTPServer(('', int(os.environ['QUERY_PORT'])), H).serve_forever()
`;

describe.each(ENGINES)('on $engine', ({ engine, address, skip }) => {
  describe.skipIf(skip)('names that JavaScript gives a meaning to', () => {
    const host = new TestHost();
    let id = '';
    beforeAll(async () => {
      if (address !== null) host.useDocker(address);
      fastAsking(host.dataDir);
      await host.start();
      const schema = { type: 'object', properties: {}, additionalProperties: true };
      const tiny = { name: 'evil', runtime: 'python311', bot: BOT, query: QUERY, schema };
      const bot = await deployTiny(host, tiny, { config: JSON.parse(EVIL) });
      id = bot.bot_id;
      await lineUntil(host, id, 'config ');
      // Its query program is another one, and may come up later.
      const ask = (): Promise<Response> =>
        host.fetch(`/bot/${id}/query`, { method: 'POST', body: '{"path":"/echo","params":{}}' });
      await until('its query program', async () => (await ask()).status === 200);
    });
    afterAll(async () => {
      await host.stop();
      if (address !== null) await removeContainers(address, host.dataDir);
    });

    const text = async (path: string): Promise<string> => (await host.fetch(`/api/v1/bots/${id}${path}`)).text();

    it('reach the bot in its config and come back in its record', async () => {
      const line = (await logsOf(host, id)).find((entry) => entry.message.startsWith('config '));
      expect(JSON.stringify(JSON.parse(line?.message.slice(7) ?? ''))).toBe(EVIL);
      expect(JSON.stringify(JSON.parse(await text('')).config)).toBe(EVIL);
    });

    it('stay in metrics, in fields of lines and in the state', async () => {
      const { events } = JSON.parse(await text('/metrics/events?type=evil'));
      expect(JSON.stringify(events[0].data)).toBe(EVIL);
      expect(await text('/metrics/events?type=__proto__')).toContain('"data":{"value":2}');
      const line = (await logsOf(host, id)).find((entry) => entry.message === 'fields');
      expect(JSON.stringify(line?.fields)).toBe('{"__proto__":{"polluted":"yes"},"constructor":{"polluted":"yes"}}');
      expect(await text('/state/evil')).toContain(`"value":${EVIL}`);
    });

    it('stay in parameters and answers of a query', async () => {
      const body = `{"path":"/echo","params":{"__proto__":"a","constructor":"b"}}`;
      const answer = await host.fetch(`/bot/${id}/query`, { method: 'POST', body });
      expect(await answer.text()).toBe('{"__proto__":"a","constructor":"b"}');
    });

    it('are refused as fields of the product itself, over every surface', async () => {
      const bodies = [`{"__proto__":{"role":"owner"},"name":"k"}`, `{"constructor":1,"name":"k"}`];
      for (const body of bodies) expect((await host.fetch('/api/v1/keys', { method: 'POST', body })).status).toBe(400);
      const key = await makeKey(host);
      const params = JSON.parse('{"name":"bot_get","arguments":{"bot_id":"x","__proto__":{"a":1}}}');
      expect((await bare(host, key, message('tools/call', params))).json().result.isError).toBe(true);
    });

    it('have changed no object of the host', async () => {
      // A host whose objects have all got a field of that name would show it in whatever it makes.
      expect(await (await host.fetch('/api/v1/host')).text()).not.toContain('polluted');
      expect(await (await host.fetch('/api/v1/auth')).text()).not.toContain('polluted');
    });

    it('nesting without end is text in a log, told in a state and an answer, and never a fault of the host', async () => {
      const lines = await logsOf(host, id);
      expect(lines.filter(({ message: one }) => one.length > LEVELS).length).toBe(6);
      const state = await host.fetch(`/api/v1/bots/${id}/state/deep`);
      expect([state.status, await state.text()]).toEqual([400, expect.stringContaining('nested deeper')]);
      const answer = await host.fetch(`/bot/${id}/query`, { method: 'POST', body: '{"path":"/deep"}' });
      expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('nested deeper')]);
      expect(host.log).not.toContain('call stack');
      // A state that cannot be shown can still be replaced.
      await call(host, 'POST', `/api/v1/bots/${id}/stop`);
      const set = (): Promise<Response> =>
        host.fetch(`/api/v1/bots/${id}/state/deep`, { method: 'PUT', body: '{"value":1}' });
      await expect.poll(async () => (await set()).status).toBe(200);
      await prove(
        'S6',
        'keys that are data, on both engines',
        { engine, 'ways tried': 9, 'objects changed': 0 },
        `S6-${engine}`,
      );
    });
  });
});
