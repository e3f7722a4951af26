import { expect, it } from 'vitest';
import type { AlarmChannel, AlarmRule } from '../../src/contract/alarms.ts';
import { OPERATIONS, type OperationName } from '../../src/contract/operations.ts';
import { AlarmReceiver } from '../support/alarm-receiver.ts';
import { fastAsking, JSON_HEADERS, makeKey, STREAMS } from '../support/mcp.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';

const SECRET = 'a signing secret of the test';
const CHANGES = (Object.keys(OPERATIONS) as OperationName[]).filter(
  (name) => name.startsWith('alarms.') && OPERATIONS[name].method !== 'GET',
);

/** A key as a program gets it whose code a person has approved. */
async function keyByCode(host: TestHost): Promise<string> {
  const started = await call<{ device_code: string; user_code: string }>(host, 'POST', '/api/v1/auth/device', {
    client: 'a program',
  });
  await call(host, 'POST', '/api/v1/auth/device/approve', { user_code: started.user_code, scope: 'full' });
  const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/auth/device/poll', {
    device_code: started.device_code,
  });
  return key;
}

/** All that alarms of a user are: what a key must not change. */
async function everything(host: TestHost): Promise<string> {
  const paths = ['channels', 'rules', 'mutes', 'watch'];
  const answers = await Promise.all(paths.map((path) => call<unknown>(host, 'GET', `/api/v1/alarms/${path}`)));
  return JSON.stringify(answers);
}

it('a key of any kind changes nothing of alarms: not over HTTP, not by the command line, not as an assistant', async ({
  onTestFinished,
}) => {
  const receiver = await AlarmReceiver.start((end) => onTestFinished(end));
  const host = await testHost(onTestFinished, (dir) => fastAsking(dir));
  const settings = { url: `${receiver.url}/in`, secret: SECRET };
  const { channel_id } = await call<AlarmChannel>(host, 'POST', '/api/v1/alarms/channels', {
    ...{ name: 'ops', kind: 'webhook', settings },
  });
  const { rule_id } = await call<AlarmRule>(host, 'POST', '/api/v1/alarms/rules', { on: ['failed'] });
  const { bot_id } = await deployTiny(host, { name: 'tiny', type: 'scheduled', bot: 'process.exit(0)' });
  const keys = {
    read: await makeKey(host, { scope: 'read' }),
    deploy: await makeKey(host, { scope: 'deploy' }),
    full: await makeKey(host, { scope: 'full' }),
    extended: await makeKey(host, { scope: 'full', extended: true }),
    'for one bot': await makeKey(host, { scope: 'full', bots: [bot_id] }),
    'by a code': await keyByCode(host),
  };
  const bodies: Readonly<Record<string, object>> = {
    'alarms.add_channel': { name: 'evil', kind: 'webhook', settings },
    'alarms.change_channel': { settings },
    'alarms.add_rule': { on: ['signal'], with_text: true },
    'alarms.change_rule': { enabled: false },
    'alarms.seen': { up_to: 1_000_000 },
    'alarms.shown': { id: 'alm_1', shown: true },
    'alarms.mute': { minutes: 60 },
    'alarms.set_watch': { url: `${receiver.url}/watch` },
  };
  const commands = [
    ['alarms', 'channels', 'add', 'webhook', 'evil'],
    ['alarms', 'channels', 'set', 'ops'],
    ['alarms', 'channels', 'rename', 'ops', 'evil'],
    ['alarms', 'channels', 'remove', 'ops'],
    ['alarms', 'test', 'ops'],
    ['alarms', 'rules', 'add', '--on', 'signal'],
    ['alarms', 'rules', 'remove', rule_id],
    ['alarms', 'mute', 'all', '--for', '1h'],
    ['alarms', 'watch', 'set', `${receiver.url}/watch`],
    ['alarms', 'watch', 'off'],
  ];
  const before = await everything(host);
  const wrong: unknown[] = [];
  for (const [kind, key] of Object.entries(keys)) {
    for (const name of CHANGES) {
      const { method, path } = OPERATIONS[name];
      const at = path.replace('{channel_id}', channel_id).replace('{rule_id}', rule_id);
      const body = method === 'DELETE' ? {} : { body: JSON.stringify(bodies[name] ?? {}) };
      const answer = await host.fetch(at, { method, headers: { authorization: `Bearer ${key}` }, ...body });
      const code = ((await answer.json()) as { error?: { code?: string } }).error?.code;
      if (code !== 'SESSION_REQUIRED') wrong.push([kind, name, code]);
    }
    for (const path of ['/mcp', '/mcp/extended']) {
      const ask = async (method: string, params: object): Promise<string> => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
        const answer = await fetch(`${host.url}${path}`, {
          method: 'POST',
          headers: { ...JSON_HEADERS, ...STREAMS, 'x-api-key': key },
          body,
        });
        return answer.text();
      };
      const tools = await ask('tools/list', {});
      const isOpen = path === '/mcp' || kind === 'extended';
      if (isOpen !== tools.includes('"name":"') && kind !== 'for one bot')
        wrong.push([kind, path, tools.slice(0, 200)]);
      if (/"name":"[^"]*alarm/.test(tools)) wrong.push([kind, path, 'has a tool for alarms']);
      for (const tool of ['alarms_add_channel', 'alarms.add_channel', 'alarms_mute'])
        if (!/error/i.test(await ask('tools/call', { name: tool, arguments: bodies['alarms.add_channel'] })))
          wrong.push([kind, path, tool]);
    }
    const input = `url=${receiver.url}/evil\nsecret=${SECRET}\n`;
    // The command line asks over HTTP as well: one command shows that it does so with the key.
    const typed = kind === 'full' ? commands : commands.slice(0, 1);
    const done = await Promise.all(
      typed.map((words) => host.cliWith({ input, env: { PLATFORM_API_KEY: key } }, ...words, '--json')),
    );
    for (const [index, { code, stdout, stderr }] of done.entries())
      if (code === 0 || !/SESSION_REQUIRED|BOT_NOT_FOUND|FORBIDDEN/.test(stdout + stderr))
        wrong.push([kind, typed[index], code, stdout, stderr]);
  }
  expect(wrong).toEqual([]);
  expect(await everything(host)).toBe(before);
  expect(receiver.received).toEqual([]);
});
