import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import type { BotEvent } from '../../src/contract/bot.ts';
import type { BotNetwork } from '../../src/contract/network.ts';
import { policyFile } from '../../src/gate/bot-gate.ts';
import { isAlive, type ProcessIdentity } from '../../src/node/process-identity.ts';
import { exists, testHost } from '../support/platform.ts';
import { takePort } from '../support/taken-port.ts';
import { call, deployTiny, getBot, lineUntil, logsOf, publish, tell } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/** A bot that fetches an address when a test puts it into a file of its state, and says what came of it. */
const FETCHER = {
  name: 'fetcher',
  type: 'realtime',
  bot: `
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { log } from '@bot-platform/sdk';
log('proxy ' + (process.env.HTTPS_PROXY ?? 'none'));
// No rule knows this for a secret: only its value does.
log('way ' + new URL(process.env.HTTPS_PROXY ?? 'http://none').password);
const folder = process.env.STATE_DIR;
setInterval(async () => {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('fetch-')) continue;
    const [, number, where] = name.split('-');
    rmSync(folder + '/' + name);
    const said = await fetch('http://' + where).then(async (answer) => answer.status + ' ' + await answer.text(), (error) => String(error.cause ?? error));
    log('answer ' + number + ': ' + said);
  }
}, 20);
`,
} as const;

const gateIn = (dataDir: string): ProcessIdentity & { readonly port: number } =>
  JSON.parse(readFileSync(join(dataDir, 'gate/process.json'), 'utf8'));

/** A server of this machine under an address that proxy settings do not leave out. */
async function localServer(onTestFinished: TestContext['onTestFinished']): Promise<string> {
  const server = createServer((_, answer) => answer.end('reached'));
  server.listen(0, '127.0.0.2');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `127.0.0.2:${typeof address === 'object' ? address?.port : ''}`;
}

it('records and refuses nothing, refuses and tells, and outlives host and gate', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const where = await localServer(onTestFinished);
  const { bot_id: id } = await deployTiny(host, FETCHER);
  const path = `/api/v1/bots/${id}/network`;
  const network = (): Promise<BotNetwork> => call(host, 'GET', path);
  let asked = 0;
  const answer = async (): Promise<string> => {
    asked += 1;
    tell(host, id, `fetch-${asked}-${where}`);
    return (await lineUntil(host, id, `answer ${asked}:`)).message;
  };

  // As it is without a choice: no gate at all.
  await lineUntil(host, id, 'proxy none');
  expect(await network()).toMatchObject({ mode: 'open', is_enforced: false, items: [] });
  expect(await answer()).toContain('200 reached');

  await host.json('bot', 'network', 'fetcher', '--mode', 'observe');
  await call(host, 'POST', `/api/v1/bots/${id}/restart`);
  // Its pass is a secret, and is masked like one.
  await lineUntil(host, id, 'proxy http://');
  expect((await logsOf(host, id)).filter(({ message }) => message.includes(`${id}-`))).toEqual([]);
  expect(await answer()).toContain('200 reached');
  const [host_, port] = where.split(':');
  const seen = await until('the record', async () => (await network()).items.find((one) => one.connections > 0));
  expect(seen).toMatchObject({ host: host_, port: Number(port), blocked: 0, beyond_permits: 1 });
  const { proposal, summary } = await network();
  expect(proposal).toEqual([`local: [${port}]`]);
  expect(summary).toContain('Advisory');

  // A gate that dies is back on its port, for the program that runs.
  const first = gateIn(host.dataDir);
  process.kill(first.pid, 'SIGKILL');
  const died = performance.now();
  await until('another gate', () => gateIn(host.dataDir).pid !== first.pid);
  expect(performance.now() - died).toBeLessThan(5000);
  expect(gateIn(host.dataDir).port).toBe(first.port);
  await until('an answer', async () => (await answer()).includes('200 reached'));

  // It outlives the host, and the next one takes it over.
  const second = gateIn(host.dataDir);
  await host.kill();
  expect(await isAlive(second)).toBe(true);
  // As a host leaves it that dies before it has stored a stricter mode: what is stored holds.
  const policy = policyFile(join(host.dataDir, 'gate'), id);
  writeFileSync(policy, readFileSync(policy, 'utf8').replace('observe', 'enforce'));
  await host.start();
  expect(await answer()).toContain('200 reached');
  expect(gateIn(host.dataDir)).toEqual(second);

  // A key may tighten, and no more.
  const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'full' });
  const asKey = async (mode: string): Promise<number> =>
    (
      await host.fetch(path, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ mode }),
      })
    ).status;
  expect(await asKey('enforce')).toBe(200);
  expect(await asKey('observe')).toBe(403);

  const refused = await until('a refusal', async () => {
    const said = await answer();
    return said.includes('403') ? said : null;
  });
  expect(refused).toContain(`local: [${port}]`);
  const event = await until(
    'the event',
    async () =>
      (await call<{ items: BotEvent[] }>(host, 'GET', `/api/v1/bots/${id}/events?kind=egress_blocked`)).items[0],
  );
  expect(event.reason).toMatchObject({ code: 'EGRESS_BLOCKED' });
  expect(event.reason?.message).toContain(where);

  // No key widens what a bot that is held to its permits may reach.
  const wider = {
    ...FETCHER,
    bot: `${FETCHER.bot}log('wider');`,
    version: '1.1.0',
    permits: { local: [Number(port)] },
  };
  await publish(host, wider);
  const body = JSON.stringify({ version: '1.1.0' });
  const headers = { authorization: `Bearer ${key}` };
  const byKey = await host.fetch(`/api/v1/bots/${id}`, { method: 'PATCH', headers, body });
  expect([byKey.status, await byKey.text()]).toEqual([403, expect.stringContaining('SESSION_REQUIRED')]);
  expect(await answer()).toContain('403');
  await call(host, 'PATCH', `/api/v1/bots/${id}`, { version: '1.1.0' });
  await lineUntil(host, id, 'wider');
  expect(await answer()).toContain('200 reached');

  await host.stop();
  await until('the gate to end with its host', () => !exists(second.pid));
});

it('masks a name that holds a secret, also once that was changed, and on the next host', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const secret = 'k4711oldsecretofanexchange';
  await call(host, 'POST', '/api/v1/secrets', { name: 'KEY', class: 'paper', value: secret });
  const { bot_id: id } = await deployTiny(host, FETCHER, { config: { api_key: { $secret: 'KEY' } } });
  await host.json('bot', 'network', 'fetcher', '--mode', 'enforce');
  await call(host, 'POST', `/api/v1/bots/${id}/restart`);
  await lineUntil(host, id, 'proxy http');
  tell(host, id, `fetch-1-${secret}.invalid:80`);
  const names = async (): Promise<string[]> => {
    const { items } = await call<BotNetwork>(host, 'GET', `/api/v1/bots/${id}/network`);
    return items.map((item) => item.host);
  };
  await until('the contact', async () => (await names()).length > 0);
  expect(await names()).toEqual(['***.invalid']);
  // The gate has it as the bot asked for it.
  expect(readFileSync(join(host.dataDir, `gate/contacts/${id}.json`), 'utf8')).toContain(secret);

  await call(host, 'POST', '/api/v1/secrets/KEY/rotate', { value: 'k0815newsecretofanexchange' });
  const { run_id: before } = await getBot(host, id);
  await call(host, 'POST', `/api/v1/bots/${id}/restart`);
  await until('a program with the new secret', async () => {
    const { run_id, status } = await getBot(host, id);
    return run_id !== before && status === 'running';
  });
  expect(await names()).toEqual(['***.invalid']);
  await host.stop();
  await host.start();
  expect(await names()).toEqual(['***.invalid']);
});

it('tells a bot that the gate had to leave its port, and masks the pass that it gets at the next one', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const where = await localServer(onTestFinished);
  const { bot_id: id } = await deployTiny(host, FETCHER);
  await host.json('bot', 'network', 'fetcher', '--mode', 'observe');
  await call(host, 'POST', `/api/v1/bots/${id}/restart`);
  await lineUntil(host, id, 'proxy http://');
  const first = gateIn(host.dataDir);

  // Host and gate die, and another program takes the port.
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
  expect(lost).toMatchObject({
    run_id: (await getBot(host, id)).run_id,
    reason: { code: 'GATE_MOVED', hint: expect.stringContaining(`platform bot restart ${id}`) },
  });
  expect(lost.reason?.message).toContain(`had to leave port ${first.port} (`);
  await lineUntil(host, id, `had to leave port ${first.port}`);
  expect(gateIn(host.dataDir).port).not.toBe(first.port);

  // The next start finds that the port is taken only once the log of the bot is open.
  await call(host, 'POST', `/api/v1/bots/${id}/stop`);
  await until('the stop', async () => (await getBot(host, id)).status === 'stopped');
  const second = gateIn(host.dataDir);
  await host.stop();
  await until('the end of the gate', async () => !(await isAlive(second)));
  await takePort(second.port, onTestFinished);
  await host.start();
  await call(host, 'POST', `/api/v1/bots/${id}/start`);
  tell(host, id, `fetch-9-${where}`);
  expect((await lineUntil(host, id, 'answer 9:')).message).toContain('200 reached');
  expect(gateIn(host.dataDir).port).not.toBe(second.port);
  const lines = (await logsOf(host, id)).map(({ message }) => message);
  expect(lines.filter((line) => line === 'way ***').length).toBe(2);
  expect(lines.filter((line) => line.includes(`${id}-`))).toEqual([]);
});
