import { describe, expect, it, onTestFinished } from 'vitest';
import { AlarmReceiver } from '../support/alarm-receiver.ts';
import { sharedHost } from '../support/platform.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const shared = sharedHost();
const SECRET = 'a signing secret of the test';

describe('alarms of a host', () => {
  it('lead from the command line to the first message, and tell of a bot that fails', async ({
    onTestFinished: end,
  }) => {
    const host = shared(end);
    const receiver = await AlarmReceiver.start(onTestFinished);
    const input = `url=${receiver.url}/in\nsecret=${SECRET}\n`;
    const added = await host.cliWith({ input }, 'alarms', 'channels', 'add', 'webhook', 'ops');
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('alarms test ops') });
    expect(await host.cli('alarms', 'test', 'ops')).toMatchObject({ code: 0 });
    expect(receiver.bodies[0]).toMatchObject({ title: 'This is a test of your alarms' });
    const { bot_id } = await deployTiny(host, { name: 'fails', type: 'scheduled', bot: 'process.exit(3)' });
    await call(host, 'POST', `/api/v1/bots/${bot_id}/run`);
    await until('the message', () => receiver.bodies.some(({ title }) => title === 'fails failed'));
    const log = await host.json('alarms', 'log', 'fails');
    expect(log.items[0]).toMatchObject({ event: 'failed', deliveries: [{ channel: 'ops', state: 'sent' }] });
    const { items } = await host.json('alarms', 'channels');
    expect(JSON.stringify(items)).not.toContain(SECRET);
    expect((await host.cli('alarms', 'rules')).stdout).toContain('when a bot fails, a run is missed');
    const rule = await host.json('alarms', 'rules', 'add', '--on', 'silent', '--for', '10m', '--channels', 'ops');
    expect(rule.sentence).toBe('Tell me over ops when a bot prints nothing for 10 min.');
    expect(await host.cli('alarms', 'rules', 'remove', rule.rule_id)).toMatchObject({ code: 0 });
    expect((await host.json('alarms', 'mute', 'fails', '--for', '1h')).items.length).toBe(1);
    expect((await host.json('alarms', 'mute', 'fails', '--off')).items).toEqual([]);
    const watch = await host.json('alarms', 'watch', 'set', `${receiver.url}/ping/secret-id`, '--every', '10s');
    expect(watch).toMatchObject({ set: true, every_sec: 10 });
    expect(JSON.stringify(watch)).not.toContain('secret-id');
    await until('the call', () => receiver.received.some(({ path }) => path === '/ping/secret-id'));
    expect(await host.json('alarms', 'watch', 'off')).toMatchObject({ set: false });
    expect(await host.cli('alarms', 'channels', 'remove', 'ops')).toMatchObject({ code: 0 });
  });

  it('takes channels, rules and mutes from a person alone', async ({ onTestFinished: end }) => {
    const host = shared(end);
    const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'full' });
    const headers = { authorization: `Bearer ${key}` };
    const settings = { url: 'https://example.com', secret: SECRET };
    for (const [path, body] of [
      ['/api/v1/alarms/channels', { name: 'x', kind: 'webhook', settings }],
      ['/api/v1/alarms/rules', { on: ['failed'] }],
      ['/api/v1/alarms/mutes', { minutes: 60 }],
    ] as const) {
      const answer = await host.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(await answer.json()).toMatchObject({ error: { code: 'SESSION_REQUIRED' } });
      const read = await host.fetch(path, { headers });
      expect(read.status).toBe(200);
      await read.body?.cancel();
    }
  });
});
