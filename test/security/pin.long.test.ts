import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { OPERATIONS, type OperationName } from '../../src/contract/operations.ts';
import { loggedIn } from '../support/logged-in.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { inTerminal } from '../support/terminal.ts';
import { call, deployTiny, type Reachable } from '../support/tiny-bot.ts';

const PIN = '4815162342';
const IDLE = { name: 'idle', bot: 'setInterval(() => {}, 60_000);\n' };

/** Operations that need the PIN, recognised by their names alone, not by their rows. */
const NEEDS_PIN = (Object.keys(OPERATIONS) as OperationName[]).filter((name) =>
  /^(users\.(create|update|delete)|keys\.create|auth\.(password|device_approve)|alarms\.(add|change|remove)_channel|ledger\.erase|assistants\.set_up|interpreters\.allow)$/.test(
    name,
  ),
);

async function codeOf(host: Reachable, method: string, path: string, body?: object, headers: object = {}) {
  const answer = await host.fetch(path, {
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return answer.ok ? 'ok' : JSON.parse(text).error.code;
}

/** The address of an operation, with ids of nothing. */
const addressOf = (name: OperationName): string => OPERATIONS[name].path.replaceAll(/\{\w+\}/g, 'none');

async function withGuard(host: TestHost): Promise<string> {
  const { bot_id } = await deployTiny(host, IDLE);
  await call(host, 'PUT', `/api/v1/bots/${bot_id}/guards`, { kind: 'drawdown', limit: '5' });
  return `/api/v1/bots/${bot_id}`;
}

it('the rows that change accounts, keys, alarm channels, or erase a ledger, ask for it, and no others do', () => {
  const rows = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => OPERATIONS[name].asksPin);
  expect(rows.sort()).toEqual(NEEDS_PIN.sort());
  expect(rows.length).toBe(12);
  for (const name of rows) expect(OPERATIONS[name]).toMatchObject({ session: 'required' });
});

describe('a host', () => {
  it('takes a log-in alone for nothing that needs the PIN, once there is one', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const at = await withGuard(host);
    // Without a PIN accounts change as before; a guard is loosened by nobody.
    const ann = await loggedIn(host, 'ann');
    expect(await codeOf(host, 'PUT', `${at}/guards`, { kind: 'drawdown', limit: '9' })).toBe('PIN_REQUIRED');
    expect(await codeOf(host, 'PUT', `${at}/guards`, { kind: 'drawdown', limit: '4' })).toBe('ok');
    const { confirmation } = await call<{ confirmation: string }>(host, 'PUT', '/api/v1/pin', { pin: PIN });
    const [guard] = (await call<{ items: { guard_id: string }[] }>(host, 'GET', `${at}/guards`)).items;
    const remove = `${at}/guards/${guard?.guard_id}`;
    const wrong = [undefined, '', 'pin', `${confirmation}0`, host.token];
    for (const sent of wrong) {
      const headers = sent === undefined ? {} : { 'x-platform-confirmation': sent };
      for (const name of NEEDS_PIN) {
        const { method } = OPERATIONS[name];
        const body = method === 'DELETE' ? undefined : {};
        expect([name, sent, await codeOf(host, method, addressOf(name), body, headers)]).toEqual([
          name,
          sent,
          'PIN_REQUIRED',
        ]);
      }
      expect(await codeOf(host, 'PUT', '/api/v1/pin', { pin: 'another one' }, headers)).toBe('PIN_REQUIRED');
      expect(await codeOf(host, 'DELETE', remove, undefined, headers)).toBe('PIN_REQUIRED');
      expect(await codeOf(host, 'PUT', `${at}/guards`, { kind: 'drawdown', limit: '9' }, headers)).toBe('PIN_REQUIRED');
    }
    // The PIN of one user counts for no other, and a user without one goes on as before.
    expect(await codeOf(ann, 'POST', '/api/v1/keys', { name: 'mine' })).toBe('ok');
    expect(await codeOf(ann, 'POST', '/api/v1/pin/reset', { name: 'owner' })).toBe('FORBIDDEN');
    // Stopping needs no PIN.
    for (const path of [`${at}/stop`, '/api/v1/panic', '/api/v1/sessions/end-others'])
      expect([path, await codeOf(host, 'POST', path, {})]).toEqual([path, 'ok']);
    const confirmed = { 'x-platform-confirmation': confirmation };
    expect(await codeOf(ann, 'DELETE', remove, undefined, confirmed)).toBe('BOT_NOT_FOUND');
    expect(await codeOf(host, 'DELETE', remove, undefined, confirmed)).toBe('ok');
    await host.kill();
    await host.start();
    expect(await codeOf(host, 'POST', '/api/v1/keys', { name: 'later' }, confirmed)).toBe('PIN_REQUIRED');
  });

  it('remembers wrong PINs when it is killed, tells of them, and keeps the other ways open', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    await call(host, 'PUT', '/api/v1/pin', { pin: PIN });
    for (let count = 0; count < 4; count++)
      expect(await codeOf(host, 'POST', '/api/v1/pin/confirm', { pin: `no ${count}` })).toBe('WRONG_PIN');
    await host.kill();
    await host.start();
    expect(await codeOf(host, 'POST', '/api/v1/pin/confirm', { pin: 'no' })).toBe('WRONG_PIN');
    expect(await codeOf(host, 'POST', '/api/v1/pin/confirm', { pin: PIN })).toBe('RATE_LIMITED');
    expect(await call(host, 'GET', '/api/v1/pin')).toMatchObject({ wrong: 5, confirmed_until: null });
    expect(await codeOf(host, 'POST', '/api/v1/panic', {})).toBe('ok');
    const told = async (): Promise<string[]> =>
      (await call<{ items: { event: string }[] }>(host, 'GET', '/api/v1/alarms')).items
        .map(({ event }) => event)
        .filter((event) => event !== 'host_crashed');
    expect(await told()).toEqual(['wrong_pin', 'pin_changed']);
    expect(await codeOf(host, 'POST', '/api/v1/pin/reset', { name: 'nobody' })).toBe('USER_NOT_FOUND');
    expect(await codeOf(host, 'POST', '/api/v1/pin/reset', { name: 'owner' })).toBe('ok');
    expect(await told()).toEqual(['pin_changed', 'wrong_pin', 'pin_changed']);
    // For an hour a reset opens nothing, whatever PIN is chosen, and over a restart.
    expect(await codeOf(host, 'POST', '/api/v1/keys', { name: 'mine' })).toBe('PIN_RESET');
    await host.kill();
    await host.start();
    const { confirmation } = await call<{ confirmation: string }>(host, 'PUT', '/api/v1/pin', { pin: 'of a thief' });
    const confirmed = { 'x-platform-confirmation': confirmation };
    for (const name of NEEDS_PIN) {
      const { method } = OPERATIONS[name];
      const body = method === 'DELETE' ? undefined : {};
      expect([name, await codeOf(host, method, addressOf(name), body, confirmed)]).toEqual([name, 'PIN_RESET']);
    }
    expect(await codeOf(host, 'POST', '/api/v1/panic', {})).toBe('ok');
    expect(host.log).not.toContain(PIN);
  });

  it('takes the PIN of a session for that session alone, over its socket too', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const ann = await loggedIn(host, 'ann');
    await call(ann, 'PUT', '/api/v1/pin', { pin: PIN });
    const login = { name: 'ann', password: 'a long pass phrase' };
    const { token } = await call<{ token: string }>(host, 'POST', '/api/v1/auth/login', login);
    const socket = new WebSocket(`${host.url.replace('http', 'ws')}/api/v1/socket`, {
      headers: { authorization: `Bearer ${token}` },
    });
    onTestFinished(() => socket.terminate());
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const ask = (name: OperationName, input: object): Promise<string> =>
      new Promise((resolve) => {
        socket.once('message', (data) => resolve(JSON.parse(String(data)).error?.code ?? 'ok'));
        socket.send(JSON.stringify({ id: 1, call: name, input }));
      });
    expect(await codeOf(ann, 'POST', '/api/v1/keys', { name: 'one' })).toBe('ok');
    expect(await ask('keys.create', { name: 'two' })).toBe('PIN_REQUIRED');
    expect(await ask('pin.confirm', { pin: 'no' })).toBe('WRONG_PIN');
    expect(await ask('pin.confirm', { pin: PIN })).toBe('ok');
    expect(await ask('keys.create', { name: 'two' })).toBe('ok');
  });
});

describe.skipIf(process.platform !== 'linux')('the command line', () => {
  it('asks in a terminal, and a program that runs it gets nothing', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    await withGuard(host);
    const loosen = ['guards', 'set', 'idle', 'drawdown', '9'];
    const alone = await host.cliWith({ input: `${PIN}\n${PIN}\n` }, ...loosen);
    expect([alone.code, alone.stderr]).toEqual([3, expect.stringContaining('code PIN_REQUIRED')]);
    expect((await host.cliWith({ input: `${PIN}\n` }, 'pin', 'set')).code).toBe(2);
    const chosen = await inTerminal(
      host,
      [
        ['New PIN', PIN],
        ['Again', PIN],
      ],
      ...loosen,
    );
    expect([chosen.code, chosen.stdout]).toEqual([0, expect.stringContaining('9 in its currency')]);
    expect(chosen.stdout).not.toContain(PIN);
    expect((await host.cliWith({ input: `${PIN}\n` }, 'keys', 'create', 'x')).code).toBe(3);
    const removed = await inTerminal(
      host,
      [
        ['PIN: ', 'no'],
        ['PIN: ', PIN],
      ],
      'guards',
      'remove',
      'idle',
      'drawdown',
    );
    expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining('Removed the guard')]);
    const gaveUp = await inTerminal(
      host,
      [1, 2, 3].map(() => ['PIN: ', 'no'] as const),
      'keys',
      'create',
      'x',
    );
    expect([gaveUp.code, gaveUp.stdout]).toEqual([3, expect.stringContaining('code WRONG_PIN')]);
    expect((await host.cli('pin')).stdout).toContain('Wrong PINs since the last right one: 3');
    const kept = await inTerminal(host, [['confirm: ', 'no']], 'pin', 'reset');
    expect([kept.code, (await host.json('pin')).set_at]).toEqual([2, expect.any(String)]);
    expect((await inTerminal(host, [['confirm: ', 'owner']], 'pin', 'reset')).code).toBe(0);
    expect((await host.cli('pin')).stdout).toContain('You have no PIN');
    const set = await inTerminal(
      host,
      [
        ['New PIN', '111111'],
        ['Again', '111111'],
      ],
      'pin',
      'set',
    );
    expect([set.code, set.stdout]).toEqual([2, expect.stringContaining('too easy to guess')]);
  });
});
