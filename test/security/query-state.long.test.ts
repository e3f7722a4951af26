import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import { STATE_COPY_BYTES, STATE_COPY_FILES } from '../../src/main/host/engine/process/state-copy.ts';
import { containersOf, removeContainers } from '../support/docker/containers.ts';
import { dockerForTests } from '../support/docker.ts';
import { TestHost } from '../support/platform.ts';
import { call, deployTiny, logsOf, tell } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/** A query changes no state: not by a program of any maker, not of any size, on no engine. */
const found = await dockerForTests();
const ENGINES = [
  { engine: 'process', address: null, skip: false },
  { engine: 'docker', address: 'host' in found ? found.host : null, skip: 'reason' in found },
] as const;

/** Writes one key without end, larger than a program reads at once, and stands still for as long as it is told to. */
const BOT = `
import json, os, time
keys = os.environ['STATE_DIR']
n = 0
while True:
    if os.path.exists(os.path.join(keys, 'stand')):
        print('it stands at', n, flush=True)
        while os.path.exists(os.path.join(keys, 'stand')):
            time.sleep(0.01)
    n += 1
    with open(os.path.join(keys, '.tmp-own'), 'w') as file:
        json.dump([n] * 20000, file)
    os.replace(os.path.join(keys, '.tmp-own'), os.path.join(keys, 'counter.json'))
    time.sleep(0.002)
`;
/** Serves queries without any SDK. */
const QUERY = `
import json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
keys = os.environ['STATE_DIR']
counter = os.path.join(keys, 'counter.json')
def read():
    with open(counter) as file:
        numbers = json.load(file)
    return {'n': numbers[0], 'whole': len(numbers) == 20000 and len(set(numbers)) == 1, 'keys': sorted(os.listdir(keys))}
def attempt(step):
    try:
        step()
        return 'done'
    except OSError as error:
        return type(error).__name__ + ' ' + os.strerror(error.errno)
def into(path):
    with open(path, 'w') as file:
        file.write('[-1]')
def write():
    tried = {
        'into': attempt(lambda: into(counter)),
        'new': attempt(lambda: into(os.path.join(keys, 'planted.json'))),
        'beside': attempt(lambda: into(os.path.join(os.path.dirname(keys), 'planted'))),
        'folder': attempt(lambda: os.mkdir(os.path.join(keys, 'planted'))),
        'link': attempt(lambda: os.symlink('/', os.path.join(keys, 'planted-link'))),
        'moved': attempt(lambda: os.rename(counter, os.path.join(keys, 'moved.json'))),
    }
    return tried
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get('content-length', 0)))
        given = self.headers.get('x-query-token') == os.environ['QUERY_TOKEN']
        path = self.path.split('?')[0]
        data = {'/read': read, '/write': write}[path]() if given else None
        body = json.dumps({'status': 'ok', 'data': data} if given else {'status': 'error', 'error': 'token'}).encode()
        self.send_response(200 if given else 401)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass
ThreadingHTTPServer((os.environ.get('PLATFORM_QUERY_BIND', '127.0.0.1'), int(os.environ['QUERY_PORT'])), Handler).serve_forever()
`;

interface Answer {
  readonly n: number;
  readonly whole: boolean;
  readonly keys: readonly string[];
  readonly error?: object;
}

/** Whether this file system makes copies that share their blocks with the original: those are made of any size. */
function sharesBlocks(dir: string): boolean {
  try {
    writeFileSync(join(dir, 'one'), 'x');
    copyFileSync(join(dir, 'one'), join(dir, 'other'), constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  }
}

describe.each(ENGINES)('on $engine', ({ engine, address, skip }) => {
  describe.skipIf(skip || process.platform === 'win32')('a query program beside a running bot', () => {
    const host = new TestHost();
    let bot: Bot;
    let key = '';
    let keys = '';
    beforeAll(async () => {
      if (address !== null) host.useDocker(address);
      await host.start();
      bot = await deployTiny(host, { name: 'writes', runtime: 'python311', bot: BOT, query: QUERY });
      keys = join(host.dataDir, 'bots', bot.bot_id, 'state/.platform');
      const made = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'reader', scope: 'read' });
      key = made.key;
      await until('an answer', async () => (await ask('/read')).status === 200, 120_000);
    }, 300_000);
    afterAll(async () => {
      await host.stop();
      if (address !== null) await removeContainers(address, host.dataDir);
    });

    async function ask(path: string) {
      const response = await host.fetch(`/bot/${bot.bot_id}/query`, {
        method: 'POST',
        body: JSON.stringify({ path }),
        headers: { authorization: `Bearer ${key}` },
      });
      const body: Answer = JSON.parse(await response.text());
      return { status: response.status, body };
    }

    const newest = (): number => JSON.parse(readFileSync(join(keys, 'counter.json'), 'utf8'))[0];

    /** All of the state, while the bot stands still. */
    const stateNow = (): Record<string, string> => {
      const state = join(keys, '..');
      const names = readdirSync(state, { recursive: true, encoding: 'utf8', withFileTypes: true });
      return Object.fromEntries(
        names.map((entry) => {
          const path = join(entry.parentPath, entry.name);
          const isLarge = entry.isFile() && entry.name.startsWith('large');
          return [path, entry.isFile() && !isLarge ? readFileSync(path, 'utf8').slice(0, 200_000) : 'not read'];
        }),
      );
    };

    async function whileItStands(work: () => Promise<void>): Promise<void> {
      tell(host, bot.bot_id, 'stand');
      await until('the bot to stand still', async () =>
        (await logsOf(host, bot.bot_id)).some(({ message }) => message === `it stands at ${newest()}`),
      );
      const stood = newest();
      try {
        await work();
      } finally {
        rmSync(join(keys, 'stand'));
        rmSync(join(keys, 'large'), { recursive: true, force: true });
        // Until then its last line could be taken for the answer to the next time that it is told to.
        await until('the bot to go on', () => newest() > stood);
      }
    }

    it('is shown each change that came before its question, and no half of one', async () => {
      for (let round = 0; round < 30; round++) {
        const before = newest();
        const answers = await Promise.all(Array.from({ length: 4 }, () => ask('/read')));
        const after = newest();
        for (const { status, body } of answers) {
          expect({ status, body }).toMatchObject({ status: 200, body: { whole: true } });
          expect(body.n).toBeGreaterThanOrEqual(before);
          expect(body.n).toBeLessThanOrEqual(after);
        }
      }
      const late = newest();
      await until('the bot to go on', () => newest() > late);
    });

    it('changes nothing of the state when a key that may only read asks it to', async () => {
      await whileItStands(async () => {
        const before = stateNow();
        const { n } = (await ask('/read')).body;
        const written = await ask('/write');
        expect(written.status).toBe(200);
        if (engine === 'docker')
          expect(new Set(Object.values(written.body))).toEqual(new Set(['OSError Read-only file system']));
        expect(stateNow()).toEqual(before);
        // What it did to its own copy is undone before the next question.
        expect((await ask('/read')).body).toEqual({ n, whole: true, keys: ['counter.json', 'stand'] });
      });
    });

    it.each([
      ['bytes', STATE_COPY_BYTES + 1, 'larger than 50 MiB'],
      ['files', STATE_COPY_FILES + 1, 'more than 10000 files'],
    ] as const)('changes nothing of a state of too many %s to copy', async (what, size, why) => {
      const large = join(keys, 'large');
      const shares = sharesBlocks(host.dataDir);
      await whileItStands(async () => {
        mkdirSync(large);
        if (what === 'files') for (let one = 0; one < size; one++) writeFileSync(join(large, `large-${one}`), '');
        else {
          writeFileSync(join(large, 'large'), '');
          truncateSync(join(large, 'large'), size);
        }
        const before = stateNow();
        const { status, body } = await ask('/write');
        if (engine === 'process' && !(what === 'bytes' && shares)) {
          expect(body.error).toMatchObject({ code: 'QUERY_FAILED', message: expect.stringContaining(why) });
        } else expect(status).toBe(200);
        expect(stateNow()).toEqual(before);
        rmSync(large, { recursive: true });
        expect(await ask('/read')).toMatchObject({ status: 200, body: { whole: true } });
      });
    });

    it('goes on seeing changes after its host was killed and started', async () => {
      await host.kill();
      await host.start();
      const { n } = await until('an answer', async () => {
        const { status, body } = await ask('/read');
        return status === 200 ? body : null;
      });
      await until('a newer answer', async () => (await ask('/read')).body.n > n);
      expect(existsSync(join(keys, 'planted.json'))).toBe(false);
      if (address !== null) expect(await containersOf(address, host.dataDir)).toHaveLength(2);
    });
  });
});
