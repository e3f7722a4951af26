import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeContainers } from '../support/docker/containers.ts';
import { dockerForTests } from '../support/docker.ts';
import { fastAsking } from '../support/mcp.ts';
import { TestHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { rawRequest } from '../support/raw-http.ts';
import { call, deployTiny, lineUntil, logsOf } from '../support/tiny-bot.ts';

/**
 * S9: a query goes to the bot that it names and nowhere else, takes nothing of its sender along, and a bot that answers it
 * with harm costs the host little. Answers of servers that are only odd are in test/integration/query-server.test.ts.
 */
const found = await dockerForTests();
const ENGINES = [
  { engine: 'process', address: null, skip: false },
  { engine: 'docker', address: 'host' in found ? found.host : null, skip: 'reason' in found },
] as const;

/** Logs its requests, and answers by path. `BAIT` is a server that no query may reach. */
const BOT = `
import json, os, re, socket, threading, time
BAIT = json.loads(os.environ['BOT_CONFIG'])['bait']
def flood(s, first, again):
    s.sendall(first)
    while True: s.sendall(again)
def answer(s, path):
    ok = b'HTTP/1.1 200 OK\\r\\n'
    if path.startswith('/forward'): s.sendall(('HTTP/1.1 302 Found\\r\\nLocation: ' + BAIT + '\\r\\nContent-Length: 0\\r\\n\\r\\n').encode())
    elif path.startswith('/refresh'): s.sendall(ok + ('Refresh: 0; url=' + BAIT + '\\r\\nContent-Length: 2\\r\\n\\r\\n{}').encode())
    elif path.startswith('/giga'): flood(s, ok + b'\\r\\n', b'a' * 65536)
    elif path.startswith('/lying'): flood(s, ok + b'Content-Length: 1073741824\\r\\n\\r\\n', b'a' * 65536)
    elif path.startswith('/chunks'): flood(s, ok + b'Transfer-Encoding: chunked\\r\\n\\r\\n', b'1\\r\\na\\r\\n' * 8192)
    elif path.startswith('/headers'): flood(s, ok, b'X-A: b\\r\\n' * 1000)
    elif path.startswith('/interim'): flood(s, b'', b'HTTP/1.1 100 Continue\\r\\n\\r\\n' * 1000)
    elif path.startswith('/hints'): flood(s, b'', b'HTTP/1.1 103 Early Hints\\r\\nLink: </a>\\r\\n\\r\\n' * 1000)
    elif path.startswith('/upgrade'): s.sendall(b'HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: x\\r\\n\\r\\n')
    elif path.startswith('/never'): time.sleep(600)
    elif path.startswith('/split'): s.sendall(ok + b'Content-Length: 2\\r\\nSet-Cookie: platform_session=evil\\r\\nAccess-Control-Allow-Origin: *\\r\\nX-Evil: 1\\r\\n\\r\\n{}HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\nevil')
    elif path.startswith('/packed'): s.sendall(ok + b'Content-Encoding: gzip\\r\\nContent-Length: 4\\r\\n\\r\\n\\x1f\\x8b\\x08\\x00')
    else: s.sendall(ok + b'Content-Length: 2\\r\\n\\r\\n{}')
    s.close()
def whole(s):
    # What is left unread when a socket is closed resets the connection, and the answer with it.
    text = b''
    while True:
        head, end, body = text.partition(b'\\r\\n\\r\\n')
        length = re.search(rb'(?i)content-length: *([0-9]+)', head)
        if end and len(body) >= (int(length[1]) if length else 0): return text
        more = s.recv(65536)
        if not more: return text
        text += more
def serve(s):
    try:
        head = whole(s).decode()
        print('asked ' + json.dumps(head), flush=True)
        answer(s, head.split(' ')[1])
    except OSError: pass
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(('', int(os.environ['QUERY_PORT'])))
listener.listen(64)
print('listens', flush=True)
while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
`;
const PATHS = [
  '//evil.example/x',
  'http://evil.example/x',
  '/http://evil.example/x',
  '/../../etc/passwd',
  '/%2e%2e/x',
  '/%252e%252e/x',
  '/a/..%2fx',
  '/a\\..\\x',
  '/x\r\nHost: evil.example',
  '/x\nGET /evil HTTP/1.1',
  '/%0d%0aX-Evil:1',
  '/%00',
  '/x HTTP/1.1\r\n\r\nGET /evil',
  '/x?a=b',
  '/x#a',
  '/\ud800',
  '/%zz',
  `/${'x'.repeat(3000)}`,
] as const;
/** How the host looks whether the server answers without its token, now and then. */
const LOOK = 'GET /health HTTP/1.1\r\n';
const HARM = ['giga', 'lying', 'chunks', 'headers', 'interim', 'hints', 'upgrade', 'packed'] as const;

describe.each(ENGINES)('on $engine', ({ engine, address, skip }) => {
  describe.skipIf(skip)('a query', () => {
    const host = new TestHost();
    const bait = createServer((socket) => {
      baited += 1;
      socket.destroy();
    });
    let baited = 0;
    let id = '';
    beforeAll(async () => {
      if (address !== null) host.useDocker(address);
      fastAsking(host.dataDir);
      await host.start();
      bait.listen(0, '0.0.0.0');
      await once(bait, 'listening');
      const at = bait.address();
      const config = { bait: `http://127.0.0.1:${typeof at === 'object' ? at?.port : ''}/` };
      const schema = { type: 'object', properties: { bait: { type: 'string' } } };
      id = (await deployTiny(host, { name: 'hostile', runtime: 'python311', bot: BOT, schema }, { config })).bot_id;
      await lineUntil(host, id, 'listens');
    });
    afterAll(async () => {
      bait.close();
      await host.stop();
      if (address !== null) await removeContainers(address, host.dataDir);
    });

    const ask = (path: string, timeout_sec = 20, headers: Record<string, string> = {}) =>
      rawRequest(`${host.url}/bot/${id}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ path, timeout_sec }),
      });
    const asked = async (): Promise<string[]> =>
      (await logsOf(host, id))
        .filter(({ message }) => message.startsWith('asked '))
        .map(({ message }) => JSON.parse(message.slice(6)))
        .filter((text) => !text.startsWith(LOOK));

    it('leaves for no path that is not one', async () => {
      for (const path of PATHS) {
        const answer = await ask(path);
        expect([path, answer.status, answer.json().error.code]).toEqual([path, 400, 'INVALID_REQUEST']);
      }
      expect(await asked()).toEqual([]);
    });

    it('takes nothing of its sender along but the question', async () => {
      const secrets = {
        cookie: 'platform_session=abc',
        'x-forwarded-for': '1.2.3.4',
        'user-agent': 'sender',
        te: 'trailers',
      };
      const before = (await asked()).length;
      const since = async (): Promise<string[]> => (await asked()).slice(before);
      for (const path of ['/plain', '@evil.example/x', ':80/x']) {
        const answer = await ask(path, 20, secrets);
        expect([answer.status, answer.text]).toEqual([200, '{}']);
      }
      // What looks like a name or a port in front is part of a path.
      await expect
        .poll(async () => (await since()).map((one) => one.split('\r\n')[0]))
        .toEqual(['POST /plain HTTP/1.1', 'POST /@evil.example/x HTTP/1.1', 'POST /:80/x HTTP/1.1']);
      const [text = ''] = await since();
      const names = text
        .split('\r\n\r\n')[0]
        ?.split('\r\n')
        .slice(1)
        .map((line) => line.split(':')[0]?.toLowerCase());
      expect(names?.sort()).toEqual([
        'accept',
        'connection',
        'content-length',
        'content-type',
        'host',
        'x-query-token',
      ]);
      expect(text).toMatch(/x-query-token: \*+\r\n/);
      expect(text).not.toContain(host.token);
    });

    it('follows nobody elsewhere, and passes on nothing but JSON', async () => {
      expect((await ask('/forward')).json().error.code).toBe('QUERY_FAILED');
      expect((await ask('/refresh')).json()).toEqual({});
      expect(baited).toBe(0);
      const split = await ask('/split');
      expect([split.status, split.text]).toEqual([200, '{}']);
      for (const name of ['set-cookie', 'access-control-allow-origin', 'x-evil', 'location', 'refresh'])
        expect(split.headers[name], name).toBeUndefined();
    });

    it('that is answered with harm fails, with little memory and work of the host', async () => {
      const memory = (): number =>
        Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.pid}/status`, 'utf8'))?.[1]) / 1024;
      const work = (): number => {
        const fields = readFileSync(`/proc/${host.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
        return (Number(fields[11]) + Number(fields[12])) / 100;
      };
      const [memoryBefore, workBefore] = [memory(), work()];
      for (const what of HARM) {
        const answer = await ask(`/${what}`);
        expect([what, answer.status, answer.json().error.code]).toEqual([what, 502, 'QUERY_FAILED']);
      }
      const never = await ask('/never', 1);
      expect([never.status, never.json().error.code]).toEqual([504, 'QUERY_TIMEOUT']);
      const [grown, worked] = [memory() - memoryBefore, work() - workBefore];
      expect(grown).toBeLessThan(150);
      // A flood that is read for as long as its query may take is 20 s of it each.
      expect(worked).toBeLessThan(15);
      expect(await call(host, 'GET', '/healthz')).toEqual({ status: 'ok' });
      const figures = {
        engine,
        'paths refused': PATHS.length,
        'harmful answers': HARM.length + 1,
        'led elsewhere': baited,
      };
      const cost = { 'memory, MiB more': Math.round(grown), 'work, s': worked.toFixed(1) };
      await prove(
        'S9',
        'queries as a way elsewhere, and bots that answer with harm',
        { ...figures, ...cost },
        `S9-${engine}`,
      );
    });
  });
});
