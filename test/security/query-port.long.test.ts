import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { dockerAt } from '../../scripts/test-images.ts';
import type { Bot, BotEvent } from '../../src/contract/bot.ts';
import { openRunTokens } from '../../src/main/host/bots/run-tokens.ts';
import { containersOf, removeContainers } from '../support/docker/containers.ts';
import { dockerForTests } from '../support/docker.ts';
import { TestHost } from '../support/platform.ts';
import { rawRequest } from '../support/raw-http.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, logsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/** The query port of a bot answers its host, and no other program or web page, on every engine. */
const found = await dockerForTests();
const ENGINES = [
  { engine: 'process', address: null, skip: false },
  { engine: 'docker', address: 'host' in found ? found.host : null, skip: 'reason' in found },
] as const;

/** Both programs of a bot report their port and token; one more program reports what it inherits. */
const PYTHON = {
  runtime: 'python311',
  bot: `
import os, threading
print('bot token', os.environ['QUERY_TOKEN'], flush=True)
threading.Event().wait()
`,
  query: `
import os, socket, subprocess, sys
print('given', os.environ['QUERY_TOKEN'], flush=True)
from platform_sdk import log, query
inherited = subprocess.run(['sh', '-c', 'echo $QUERY_TOKEN'], capture_output=True, text=True).stdout.strip()
host = socket.gethostbyname(socket.gethostname()) if os.environ.get('PLATFORM_QUERY_BIND') else '127.0.0.1'
log(f"at http://{host}:{os.environ['QUERY_PORT']}")
query.handler('/secret', lambda request: {'state': 'mine', 'inherited': inherited})
def betray(request):
    text = open('/proc/self/environ').read()
    return [one[12:] for one in text.split(chr(0)) if one.startswith('QUERY_TOKEN=')]
query.handler('/betray', betray)
query.run()
`,
};
const NODE = {
  runtime: 'nodejs24',
  bot: `
import { log, query } from '@bot-platform/sdk';
import { networkInterfaces } from 'node:os';
const outside = Object.values(networkInterfaces()).flat().find((one) => one.family === 'IPv4' && !one.internal);
const host = process.env.PLATFORM_QUERY_BIND ? outside.address : '127.0.0.1';
log('at http://' + host + ':' + process.env.QUERY_PORT);
query.handler('/secret', () => ({ state: 'mine', inherited: process.env.QUERY_TOKEN ?? '' }));
query.run();
`,
};

const ask = async (host: TestHost, bot: Bot, path: string) => {
  const response = await host.fetch(`/bot/${bot.bot_id}/query`, { method: 'POST', body: JSON.stringify({ path }) });
  return { status: response.status, body: await response.json() };
};

const files = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);

describe.each(ENGINES)('on $engine', ({ engine, address, skip }) => {
  describe.skipIf(skip)('the query port', () => {
    const host = new TestHost();
    const bots: Record<string, Bot> = {};
    beforeAll(async () => {
      if (address !== null) host.useDocker(address);
      await host.start();
      bots.python = await deployTiny(host, { name: 'port-python', ...PYTHON });
      bots.node = await deployTiny(host, { name: 'port-node', ...NODE });
    });
    afterAll(async () => {
      await host.stop();
      if (address !== null) await removeContainers(address, host.dataDir);
    });

    const bot = (language: string): Bot => {
      const one = bots[language];
      if (one === undefined) throw new Error(`${language} was not deployed`);
      return one;
    };
    const tokenOf = async (one: Bot): Promise<string> => {
      const { run_id } = await getBot(host, one.bot_id);
      return (await openRunTokens(host.dataDir)).query(run_id ?? '');
    };
    const urlOf = async (one: Bot): Promise<string> =>
      (await lineUntil(host, one.bot_id, 'at http://')).message.replace(/.*at /, '');

    it.each(['python', 'node'])('of a bot in %s answers its host alone', async (language) => {
      const one = bot(language);
      const url = await urlOf(one);
      await expect
        .poll(() => ask(host, one, '/secret'), { timeout: 60_000 })
        .toEqual({
          status: 200,
          body: { state: 'mine', inherited: '' },
        });
      for (const path of ['/secret', '/health', '/info']) {
        const stranger = await rawRequest(`${url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'text/plain' },
        });
        expect([path, stranger.status, stranger.json().data]).toEqual([path, 401, undefined]);
      }
      const token = { 'x-query-token': await tokenOf(one) };
      expect((await rawRequest(`${url}/secret`, { headers: token })).status).toBe(200);
      expect((await rawRequest(`${url}/secret`, { headers: { ...token, host: 'evil.example' } })).status).toBe(403);
      expect((await rawRequest(`${url}/secret`, { headers: { ...token, origin: 'http://evil.example' } })).status).toBe(
        403,
      );
      const other = { 'x-query-token': await tokenOf(bot(language === 'node' ? 'python' : 'node')) };
      expect((await rawRequest(`${url}/secret`, { headers: other })).status).toBe(401);
    });

    it('tells its token to nobody: not in logs, answers, files or the list of containers', async () => {
      const one = bot('python');
      await lineUntil(host, one.bot_id, 'given');
      await lineUntil(host, one.bot_id, 'bot token');
      expect(await ask(host, one, '/betray')).toEqual({ status: 200, body: ['***'] });
      const token = await tokenOf(one);
      expect(JSON.stringify(await logsOf(host, one.bot_id))).not.toContain(token);
      if (address !== null) {
        const docker = dockerAt(address);
        for (const { Id } of await containersOf(address, host.dataDir)) {
          expect(JSON.stringify(await docker.getContainer(Id).inspect())).not.toContain(token);
        }
      }
      // A bot's output waits for the host in files of its own run, as every secret does; so does a container's config.
      const own = files(host.dataDir).filter((file) => !file.includes('/runs/'));
      const telling = own.filter((file) => readFileSync(file, 'latin1').includes(token));
      expect(telling).toEqual([]);
      const commands = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
      const shown = commands.filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(token);
        } catch {
          return false;
        }
      });
      expect(shown).toEqual([]);
    });

    it('answers the next host, and the next program of the same run', async () => {
      const one = bot('python');
      const { run_id } = await getBot(host, one.bot_id);
      await host.kill();
      await host.start();
      await expect.poll(() => ask(host, one, '/secret'), { timeout: 60_000 }).toMatchObject({ status: 200 });
      expect((await getBot(host, one.bot_id)).run_id).toBe(run_id);
    });

    it('says what to do when the key of its host is lost, and answers after that', async () => {
      const one = bot('node');
      await host.kill();
      rmSync(join(host.dataDir, 'query-key'));
      await host.start();
      await expect
        .poll(() => ask(host, one, '/secret'), { timeout: 60_000 })
        .toMatchObject({
          status: 502,
          body: { error: { code: 'QUERY_FAILED', hint: expect.stringContaining('Restart the bot') } },
        });
      await call(host, 'POST', `/api/v1/bots/${one.bot_id}/restart`);
      await expect.poll(() => ask(host, one, '/secret'), { timeout: 60_000 }).toMatchObject({ status: 200 });
    });

    it.skipIf(engine === 'docker')('of a program that asks for no token is answered as before', async () => {
      const one = await deployTiny(host, {
        name: 'port-open',
        bot: `import { createServer } from 'node:http';
createServer((request, response) => response.end('{"status":"ok","data":"open"}')).listen(process.env.QUERY_PORT, '127.0.0.1');`,
      });
      await expect.poll(() => ask(host, one, '/x'), { timeout: 60_000 }).toEqual({ status: 200, body: 'open' });
    });
  });
});

describe.runIf(process.platform === 'linux')('with local processes, a bot', () => {
  const host = new TestHost();
  beforeAll(async () => void (await host.start()));
  afterAll(() => host.stop());

  it('that others can reach is told of once a run, in its record, its log and by the doctor', async () => {
    const closed = await deployTiny(host, { name: 'closed', ...NODE });
    await expect.poll(() => ask(host, closed, '/secret'), { timeout: 60_000 }).toMatchObject({ status: 200 });
    const open = await deployTiny(host, {
      name: 'open',
      bot: `import { createServer } from 'node:http';
const server = () => createServer((request, response) => response.end('{}'));
server().listen(process.env.QUERY_PORT, '127.0.0.1');
server().listen(0, '0.0.0.0', function () { console.log('everywhere at ' + this.address().port); });`,
    });
    const { message } = await lineUntil(host, open.bot_id, 'everywhere at');
    const { exposure, run_id } = await botUntil(host, open.bot_id, 'exposure', (bot) => bot.exposure !== null);
    expect(exposure).toMatchObject({
      code: 'EXPOSED',
      message: expect.stringMatching(
        new RegExp(`listens on 0\\.0\\.0\\.0:${message.replace(/\D/g, '')}, .*query port answers whoever reaches it`),
      ),
      hint: expect.stringContaining('SDK'),
    });
    const told = async () => {
      const lines = await logsOf(host, open.bot_id);
      return lines.filter(({ level, message: text }) => level === 'warn' && text.includes('open to the network'))
        .length;
    };
    await lineUntil(host, open.bot_id, 'open to the network');
    const { items } = await call<{ items: BotEvent[] }>(host, 'GET', `/api/v1/bots/${open.bot_id}/events`);
    expect(items.filter((event) => event.kind === 'exposed')).toMatchObject([
      { run_id, reason: { code: 'EXPOSED' }, requested: false },
    ]);
    const examined = JSON.parse((await host.cli('doctor', '--json')).stdout);
    expect(examined.checks.filter((check: { id: string }) => check.id === 'exposed_bots')).toMatchObject([
      { level: 'note', message: expect.stringContaining('open: It listens on 0.0.0.0') },
    ]);
    expect((await getBot(host, closed.bot_id)).exposure).toBeNull();

    await host.kill();
    await host.start();
    expect(await getBot(host, open.bot_id)).toMatchObject({ run_id, exposure });
    await call(host, 'POST', `/api/v1/bots/${open.bot_id}/restart`);
    const next = await botUntil(
      host,
      open.bot_id,
      'the next run',
      (bot) => bot.run_id !== null && bot.run_id !== run_id,
    );
    await botUntil(host, open.bot_id, 'its exposure', (bot) => bot.run_id === next.run_id && bot.exposure !== null);
    await until('a line for each run', async () => (await told()) === 2);
  });

  it('whose query program is gone sends no token to whoever has taken its port', async () => {
    const bot = await deployTiny(host, {
      name: 'gone',
      bot: 'setInterval(() => {}, 1000);',
      query: 'process.exit(1);',
    });
    await lineUntil(host, bot.bot_id, 'starting it again');
    const { run_id } = await getBot(host, bot.bot_id);
    const port = Number(
      readFileSync(join(host.dataDir, 'bots', bot.bot_id, 'runs', run_id ?? '', 'query.port'), 'utf8'),
    );
    const seen: string[] = [];
    const other = createServer((request, response) => {
      seen.push(JSON.stringify(request.headers));
      response.end('{"status":"ok","data":"mine"}');
    }).listen(port, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    for (let number = 0; number < 5; number++) {
      expect(await ask(host, bot, '/x')).toMatchObject({ status: 409, body: { error: { code: 'BOT_NOT_RUNNING' } } });
    }
    expect(seen).toEqual([]);
  });
});
