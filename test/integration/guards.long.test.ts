import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Bot, BotEvent } from '../../src/contract/bot.ts';
import type { Guard } from '../../src/contract/guards.ts';
import type { PanicAnswer } from '../../src/contract/start-and-panic.ts';
import { exists, killAll, pidsOfBot, testHost } from '../support/platform.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, tell } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/** A trader that reports the equity which a test has it report. */
const TRADER = {
  name: 'trader',
  type: 'realtime',
  bot: `
import { readdirSync, rmSync } from 'node:fs';
import { equity, log } from '@bot-platform/sdk';
equity({ value: 1000 });
log('trades');
const folder = process.env.STATE_DIR;
setInterval(() => {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('equity-')) continue;
    rmSync(folder + '/' + name);
    equity({ value: Number(name.slice(7)) });
    log('reported ' + name.slice(7));
  }
}, 20);
`,
} as const;

describe('guards of a host', () => {
  it('stop a bot within 2 s, and only a person who has read why starts it again', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const { bot_id: id } = await deployTiny(host, TRADER);
    await lineUntil(host, id, 'trades');
    const guard = await host.json('guards', 'set', 'trader', 'daily_loss', '100');
    expect(guard).toMatchObject({ kind: 'daily_loss', action: 'stop', limit: '100' });
    tell(host, id, 'equity-1000');
    await lineUntil(host, id, 'reported 1000');
    const [pid = 0] = pidsOfBot(host, id);
    tell(host, id, 'equity-880');
    const reported = await lineUntil(host, id, 'reported 880');
    const held = await botUntil(host, id, 'the guard to fire', ({ hold }) => hold !== null);
    expect(Date.parse(held.hold?.since ?? '') - Date.parse(reported.ts)).toBeLessThan(2000);
    expect(held.hold).toMatchObject({ by: 'guard', guard_id: guard.guard_id });
    await until('its program to end', () => !exists(pid));
    await botUntil(host, id, 'the bot to stop', ({ status }) => status === 'stopped');

    // Neither a key nor a host that dies or is stopped starts it.
    const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'full' });
    const headers = { authorization: `Bearer ${key}` };
    const asKey = async (method: string, path: string, body: object = {}) => {
      const answer = await host.fetch(path, { method, headers, body: JSON.stringify(body) });
      return ((await answer.json()) as { error?: { code: string } }).error?.code ?? null;
    };
    const at = `/api/v1/bots/${id}`;
    expect(await asKey('POST', `${at}/start`)).toBe('BOT_HELD');
    expect(await asKey('POST', `${at}/start`, { release: held.hold?.hold_id })).toBe('SESSION_REQUIRED');
    expect(await asKey('PATCH', at, { enabled: true })).toBe('BOT_HELD');
    expect(await asKey('PUT', `${at}/guards`, { kind: 'daily_loss', limit: '500' })).toBe('SESSION_REQUIRED');
    expect(await asKey('DELETE', `${at}/guards/${guard.guard_id}`)).toBe('SESSION_REQUIRED');
    await host.kill();
    await host.start();
    await host.stop();
    await host.start();
    expect(await getBot(host, id)).toMatchObject({ status: 'stopped', reason: { code: 'HELD' }, hold: held.hold });

    expect(await host.cli('bot', 'start', 'trader')).toMatchObject({ code: 5 });
    expect((await host.cli('bot', 'start', 'trader', '--release', 'hold_none')).stderr).toContain('HOLD_UNREAD');
    const release = held.hold?.hold_id ?? '';
    expect(await host.cli('bot', 'start', 'trader', '--release', release)).toMatchObject({ code: 0 });
    // It begins with the equity of before, which is no further loss: 1000 clears the guard, and the next loss fires again.
    await until('it to run', async () => (await getBot(host, id)).status === 'running');
    tell(host, id, 'equity-870');
    await botUntil(host, id, 'the guard to fire again', ({ hold }) => hold !== null && hold.hold_id !== release);
    const events = await call<{ items: BotEvent[] }>(host, 'GET', `${at}/events?kind=guard_fired`);
    expect(events.items.length).toBe(2);
    const alarms = await host.json('alarms', 'log', 'trader');
    expect(alarms.items.filter(({ event }: { event: string }) => event === 'guard_fired').length).toBe(2);
    const shown = await call<{ items: Guard[] }>(host, 'GET', `${at}/guards`);
    expect(shown.items).toMatchObject([{ state: 'fired', value: '130' }]);
  });

  it('come along to a duplicate, before its first row', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const { bot_id: like } = await deployTiny(host, TRADER);
    await host.json('guards', 'set', 'trader', 'daily_loss', '100');
    await host.json('guards', 'set', 'trader', 'error_rate', '5', '--action', 'alarm');
    await host.json('bot', 'network', 'trader', '--mode', 'enforce');
    const request = { name: 'copy', type: 'realtime/trader', version: '1.0.0', config: {} };
    const refused = { ...request, guards_of: 'bot_00000000000000000000000000' };
    const answer = await host.fetch('/api/v1/bots', { method: 'POST', body: JSON.stringify(refused) });
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'BOT_NOT_FOUND' } }]);
    const { bot_id: id } = await call<Bot>(host, 'POST', '/api/v1/bots', { ...request, guards_of: like });
    expect(await call(host, 'GET', `/api/v1/bots/${id}/network`)).toMatchObject({ mode: 'enforce' });
    const guards = async (of: string) =>
      (await call<{ items: Guard[] }>(host, 'GET', `/api/v1/bots/${of}/guards`)).items;
    const told = ({ kind, limit, action }: Guard) => [kind, limit, action];
    expect((await guards(id)).map(told).sort()).toEqual((await guards(like)).map(told).sort());
    expect(new Set([...(await guards(id)), ...(await guards(like))].map(({ guard_id }) => guard_id)).size).toBe(4);
    await lineUntil(host, id, 'trades');
    tell(host, id, 'equity-880');
    await botUntil(host, id, 'the guard to fire', ({ hold }) => hold !== null);
    expect((await getBot(host, like)).hold).toBeNull();
  });

  it('stop a bot while the host that has begun waits for a gate that hangs, as does the start of another bot', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const { bot_id: id } = await deployTiny(host, TRADER);
    const { bot_id: other } = await deployTiny(host, { ...TRADER, name: 'other' });
    await host.json('guards', 'set', 'trader', 'daily_loss', '100');
    for (const name of ['trader', 'other']) {
      await host.json('bot', 'stop', name);
      await host.json('bot', 'network', name, '--mode', 'enforce');
      await host.json('bot', 'start', name);
    }
    for (const one of [id, other]) {
      await until(`the program of ${one}`, () => pidsOfBot(host, one).length > 0);
      await botUntil(host, one, 'its start', ({ status }) => status === 'running');
    }
    const gatePid = (): number => JSON.parse(readFileSync(join(host.dataDir, 'gate/process.json'), 'utf8')).pid;
    const gate = gatePid();
    tell(host, id, 'equity-1000');
    await lineUntil(host, id, 'reported 1000');
    await host.kill();
    onTestFinished(() => killAll([gate]));
    process.kill(gate, 'SIGSTOP');
    killAll(pidsOfBot(host, other));
    tell(host, id, 'equity-880');

    await host.start();
    await botUntil(host, id, 'the guard to fire', ({ hold }) => hold !== null);
    // The one that was given up would have another in its place.
    expect(gatePid()).toBe(gate);
    await botUntil(host, other, 'its wait for the gate', ({ reason }) => {
      return reason?.message.includes('The gate cannot be started: it has not answered') === true;
    });
    await until('a new gate', () => gatePid() !== gate);
    await botUntil(host, other, 'its start with the new gate', ({ status }) => status === 'running');
  });

  it('give way to a panic, which stops all bots and holds them', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const names = ['one', 'two'];
    const bots = await Promise.all(names.map((name) => deployTiny(host, { ...TRADER, name })));
    for (const { bot_id } of bots) await lineUntil(host, bot_id, 'trades');
    const answer: PanicAnswer = await host.json('panic', '--yes');
    expect(answer.items.map(({ stopped, problem }) => [stopped, problem])).toEqual([
      [true, null],
      [true, null],
    ]);
    for (const { bot_id } of bots) {
      const bot: Bot = await botUntil(host, bot_id, 'the bot to stop', ({ status }) => status === 'stopped');
      expect(bot.hold).toMatchObject({ by: 'panic', who: expect.any(String) });
    }
    expect((await host.cli('bot', 'list')).stdout).toContain('held since a panic');
    expect(bots.flatMap(({ bot_id }) => pidsOfBot(host, bot_id))).toEqual([]);
  });
});
