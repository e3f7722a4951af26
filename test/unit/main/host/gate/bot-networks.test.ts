import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { NetworkMode } from '../../../../../src/contract/network.ts';
import { policyFile } from '../../../../../src/gate/bot-gate.ts';
import { contactsFile } from '../../../../../src/gate/contacts.ts';
import { BotNetworks, type NetworkedBot } from '../../../../../src/main/host/gate/bot-networks.ts';
import { codeOf } from '../../../../support/bot-to-hold.ts';
import { tempDir } from '../../../../support/temp.ts';

const LOCAL: NetworkedBot = { botId: 'bot_1', use: 'machine', permits: { local: [9] }, refusesEnforce: false };

const NO_SETTINGS = { env: {}, way: null };

/** The networks of a host whose store can be full. */
function setup(modes: Readonly<Record<string, NetworkMode>> = {}) {
  const dir = tempDir('bot-networks-');
  const stored = new Map(Object.entries(modes));
  const warned: string[] = [];
  const noted: string[] = [];
  const disk = { isFull: false };
  const gate = { port: async () => 4848 };
  const networks = new BotNetworks({
    dir,
    store: {
      get: (botId) => stored.get(botId) ?? null,
      set: (botId, mode) => {
        if (disk.isFull) throw new Error('the disk is full');
        stored.set(botId, mode);
      },
    },
    gate: { key: Buffer.alloc(32), port: () => gate.port() },
    feed: () => '127.0.0.1:4747',
    now: () => 0,
    warn: (_botId, text) => void warned.push(text),
    masker: () => (text) => text.replaceAll('hunter2', '***'),
    names: { note: (botId) => void noted.push(botId), forget: async (botId) => void noted.push(`-${botId}`) },
  });
  const told = (botId = 'bot_1') => {
    const file = policyFile(dir, botId);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  };
  return { networks, dir, disk, gate, stored, told, warned, noted };
}

const codeFrom = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: { code: unknown }) => error.code,
  );

it('leads every bot through the gate that shares the network of the machine, and no other', async () => {
  const { networks, told } = setup({ bot_1: 'enforce' });
  expect(await networks.environment({ ...LOCAL, use: 'own' })).toEqual(NO_SETTINGS);
  expect(await networks.environment({ ...LOCAL, use: 'none' })).toEqual(NO_SETTINGS);
  expect(await networks.environment(LOCAL)).toEqual({
    env: expect.objectContaining({ HTTPS_PROXY: expect.stringContaining('@127.0.0.1:4848') }),
    way: { port: 4848, identity: networks.pass(LOCAL) },
  });
  expect(told()).toMatchObject({ mode: 'enforce', local: [9] });
});

it('masks the pass of a bot that was set to open, whose program may have it still', async () => {
  const { networks } = setup({ bot_1: 'observe' });
  const { env } = await networks.environment(LOCAL);
  await networks.change(LOCAL, 'open', true);
  expect(env.HTTPS_PROXY).toContain(`:${networks.pass(LOCAL)}@`);
  expect(await networks.environment(LOCAL)).toEqual(NO_SETTINGS);
  expect(networks.pass({ ...LOCAL, use: 'own' })).toBeNull();
});

it('leads a bot that reaches the gate alone there in every mode, and gives its program neither settings nor a pass', async () => {
  const bot: NetworkedBot = { ...LOCAL, use: 'gate' };
  for (const [mode, told] of [
    ['open', 'observe'],
    ['observe', 'observe'],
    ['enforce', 'enforce'],
  ] as const) {
    const { networks, told: policy } = setup({ bot_1: mode });
    expect([await networks.environment(bot), networks.pass(bot)]).toEqual([NO_SETTINGS, null]);
    expect(await networks.way(bot)).toEqual({ port: 4848, identity: expect.stringMatching(/^bot_1-.{43}$/) });
    expect(policy()).toMatchObject({ mode: told, local: [9] });
    expect(networks.read(bot, [])).toMatchObject({ mode, is_enforced: mode === 'enforce' });
    expect(networks.read(bot, []).summary).toContain('reaches the gate alone');
  }
});

it('starts no bot that reaches the gate alone without one, whatever its mode', async () => {
  const { networks, gate } = setup();
  gate.port = () => Promise.reject(new Error('no port is free'));
  const refused = networks.way({ ...LOCAL, use: 'gate' });
  await expect(refused).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE', retryAfter: 1 });
});

it('has the host start a bot again that lacks a gate to be held by', async () => {
  const { networks, gate } = setup({ bot_1: 'enforce' });
  gate.port = () => Promise.reject(new Error('no port is free'));
  const refused = networks.environment(LOCAL);
  await expect(refused).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE', retryAfter: 1 });
});

it('says so where a mode does nothing', () => {
  const { networks } = setup({ bot_1: 'observe' });
  expect(networks.read({ ...LOCAL, use: 'own' }, []).summary).toContain('although its mode is observe');
  expect(networks.read({ ...LOCAL, use: 'none' }, []).summary).toContain('has no network');
  expect(networks.read(LOCAL, []).summary).toContain('Advisory');
});

it('refuses enforce where it cannot apply', async () => {
  const { networks, stored } = setup();
  expect(await codeFrom(networks.change({ ...LOCAL, use: 'own' }, 'enforce', true))).toBe('INVALID_REQUEST');
  expect(stored.size).toBe(0);
  // Ahead of the day on which it gets a network.
  await networks.change({ ...LOCAL, use: 'none' }, 'enforce', true);
  expect(stored.get('bot_1')).toBe('enforce');
});

it('lets a key tighten a mode, and not loosen it', async () => {
  const { networks, stored } = setup({ bot_1: 'observe' });
  await networks.change(LOCAL, 'enforce', false);
  expect(await codeFrom(networks.change(LOCAL, 'observe', false))).toBe('SESSION_REQUIRED');
  expect(stored.get('bot_1')).toBe('enforce');
  await networks.change(LOCAL, 'observe', true);
  expect(stored.get('bot_1')).toBe('observe');
});

it('refuses a change that lets more pass of a bot that is held to its permits', () => {
  const wider: NetworkedBot = { ...LOCAL, permits: { local: [9, 10] } };
  const moved: NetworkedBot = { ...LOCAL, use: 'own' };
  for (const after of [wider, moved]) {
    expect(codeOf(() => setup({ bot_1: 'enforce' }).networks.refuseLooser(LOCAL, after))).toBe('SESSION_REQUIRED');
    expect(codeOf(() => setup({ bot_1: 'observe' }).networks.refuseLooser(LOCAL, after))).toBeNull();
  }
  expect(codeOf(() => setup({ bot_1: 'enforce' }).networks.refuseLooser(wider, LOCAL))).toBeNull();
});

it('never leaves the gate looser than what is stored, on a full disk as well', async () => {
  const { networks, disk, stored, told } = setup({ bot_1: 'observe' });
  disk.isFull = true;
  await expect(networks.change(LOCAL, 'enforce', true)).rejects.toThrow('the disk is full');
  expect([stored.get('bot_1'), told()?.mode]).toEqual(['observe', 'enforce']);
  disk.isFull = false;
  await networks.change(LOCAL, 'enforce', true);
  disk.isFull = true;
  await expect(networks.change(LOCAL, 'observe', true)).rejects.toThrow('the disk is full');
  expect([stored.get('bot_1'), told()?.mode]).toEqual(['enforce', 'enforce']);
});

it('goes by the mode that is stored when the gate has started', async () => {
  for (const mode of ['enforce', 'open'] as const) {
    const { networks, gate, stored, told } = setup({ bot_1: 'observe' });
    const { promise, resolve } = Promise.withResolvers<number>();
    gate.port = () => promise;
    const started = networks.environment(LOCAL);
    await networks.change(LOCAL, mode, true);
    resolve(4848);
    const { env, way } = await started;
    expect([stored.get('bot_1'), told().mode]).toEqual([mode, mode === 'open' ? 'observe' : 'enforce']);
    if (mode === 'open') expect({ env, way }).toEqual(NO_SETTINGS);
    else expect(env.HTTPS_PROXY).toMatch(/^http:\/\/bot:bot_1-\S+@127\.0\.0\.1:4848$/);
  }
});

it('keeps a bot from its start that is held to its permits while the gate fails to start', async () => {
  for (const mode of ['enforce', 'open'] as const) {
    const { networks, gate, warned } = setup({ bot_1: 'observe' });
    const { promise, reject } = Promise.withResolvers<number>();
    gate.port = () => promise;
    const started = codeFrom(networks.environment(LOCAL));
    await networks.change(LOCAL, mode, true);
    reject(new Error('no gate'));
    expect([await started, warned]).toEqual([mode === 'open' ? null : 'ENGINE_UNAVAILABLE', []]);
  }
});

it('tells the gate what is stored last when two change a mode at once', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { networks, stored, told } = setup({ bot_1: 'enforce' });
    await Promise.all([
      networks.change(LOCAL, 'observe', true),
      networks.change(LOCAL, 'enforce', false),
      networks.tellAgain(LOCAL, []),
      networks.environment(LOCAL),
    ]);
    expect([stored.get('bot_1'), told().mode]).toEqual(['enforce', 'enforce']);
  }
});

it('tells the gate again of bots that an earlier host left running', async () => {
  const { networks, told } = setup({ bot_1: 'enforce', bot_2: 'open', bot_3: 'enforce' });
  await networks.tellAgain(LOCAL, []);
  await networks.tellAgain({ ...LOCAL, botId: 'bot_2' }, []);
  await networks.tellAgain({ ...LOCAL, botId: 'bot_3', use: 'own' }, []);
  await networks.tellAgain({ ...LOCAL, botId: 'bot_4', use: 'gate' }, []);
  // The sandbox that led it there does not hold now, and a program that runs goes on as it was started.
  await networks.tellAgain({ ...LOCAL, botId: 'bot_5' }, [{ level: 'sandbox', network: 'gate', gatePort: 4848 }]);
  expect(told('bot_5')?.mode).toBe('observe');
  expect(told('bot_4')?.mode).toBe('observe');
  expect([told()?.mode, told('bot_2'), told('bot_3')]).toEqual(['enforce', null, null]);
});

it('gives a duplicate the mode of its original, and none where none was chosen', () => {
  const { networks, stored } = setup({ bot_1: 'enforce' });
  networks.copy('bot_1', 'bot_2');
  networks.copy('bot_3', 'bot_4');
  expect([...stored]).toEqual([
    ['bot_1', 'enforce'],
    ['bot_2', 'enforce'],
  ]);
});

it('shows no secret of a bot that stands in the name of a host', () => {
  const { networks, dir } = setup({ bot_1: 'enforce' });
  const at = '2026-01-01T00:00:00.000Z';
  const contact = {
    ...{ host: 'hunter2.evil.example', port: 443, connections: 0, sent_bytes: 0, received_bytes: 0, blocked: 1 },
    ...{ beyond_permits: 0, blocked_because: 'add host: hunter2.evil.example', first_at: at, last_at: at },
  };
  mkdirSync(join(dir, 'contacts'));
  writeFileSync(contactsFile(dir, 'bot_1'), JSON.stringify({ items: [contact] }));
  const { items, proposal } = networks.read(LOCAL, []);
  expect(items).toEqual([{ ...contact, host: '***.evil.example', blocked_because: 'add host: ***.evil.example' }]);
  expect(proposal).toEqual([]);
});
