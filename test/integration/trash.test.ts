import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Bot, BotEvent } from '../../src/contract/bot.ts';
import type { Ledger } from '../../src/contract/ledger.ts';
import type { TrashedBot } from '../../src/contract/trash.ts';
import { makeKey, tool } from '../support/mcp.ts';
import { pidsOfBot, sharedHost, type TestHost } from '../support/platform.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, logsOf, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const shared = sharedHost();

const BOT = `
import { state } from '@bot-platform/sdk';
state.set('seen', 'a value');
console.log(JSON.stringify({ _metric: 'fill', fill_id: 't-1', symbol: 'BTC', side: 'BUY', quantity: '1', price: '100' }));
console.log('up');
process.on('SIGTERM', () => { console.log('last words'); process.exit(0); });
setInterval(() => {}, 1000);`;

const trashOf = async (host: TestHost): Promise<TrashedBot[]> =>
  (await call<{ items: TrashedBot[] }>(host, 'GET', '/api/v1/trash')).items;
const restore = (host: TestHost, id: string, body: object = {}): Promise<Bot> =>
  call(host, 'POST', `/api/v1/trash/${id}/restore`, body);
const rested = async (host: TestHost, id: string, body: object = {}): Promise<Bot> => {
  await until('it to come to rest', async () => {
    const answer = await host.fetch(`/api/v1/trash/${id}/restore`, { method: 'POST', body: JSON.stringify(body) });
    if (answer.ok) return true;
    const { error } = (await answer.json()) as { error: { code: string } };
    if (error.code !== 'BOT_RUNNING') throw new Error(error.code);
    return false;
  });
  return getBot(host, id);
};

describe('a deleted bot', () => {
  it('stops, leaves its name, and comes back whole and stopped', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const made = await deployTiny(host, { name: 'whole-again', bot: BOT });
    const { bot_id: id, name } = made;
    await lineUntil(host, id, 'up');
    const deleted = await call<{ restorable_until: string }>(host, 'DELETE', `/api/v1/bots/${id}`);
    expect(pidsOfBot(host, id)).toEqual([]);
    expect((await host.fetch(`/api/v1/bots/${id}`)).status).toBe(404);
    expect(await trashOf(host)).toMatchObject([
      { bot_id: id, name, deleted_by: 'owner', in_person: true, restorable_until: deleted.restorable_until },
    ]);
    // Its name is free at once, and taken then.
    const request = { name, type: 'realtime/whole-again', version: '1.0.0', config: {} };
    const other = await call<Bot>(host, 'POST', '/api/v1/bots', request);
    await until('the end of its output', async () => {
      const answer = await host.fetch(`/api/v1/trash/${id}/restore`, { method: 'POST', body: '{}' });
      return ((await answer.json()) as { error: { code: string } }).error.code === 'NAME_TAKEN';
    });
    const back = await restore(host, id, { name: `${name} 2` });
    expect(back).toMatchObject({ bot_id: id, name: `${name} 2`, status: 'stopped', enabled: false, config: {} });
    expect((await getBot(host, other.bot_id)).name).toBe(name);
    // Its log, state, runs, books and history are those of before.
    expect((await logsOf(host, id)).map(({ message }) => message)).toEqual(
      expect.arrayContaining(['up', 'last words']),
    );
    expect(await call(host, 'GET', `/api/v1/bots/${id}/state/seen`)).toMatchObject({ value: 'a value' });
    expect(await runsOf(host, id)).toMatchObject([{ trigger: 'deploy', status: 'stopped' }]);
    const { items } = await call<{ items: BotEvent[] }>(host, 'GET', `/api/v1/bots/${id}/events`);
    expect(items.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['deployed', 'run', 'deleted', 'restored']));
    const books = await call<Ledger>(host, 'GET', `/api/v1/bots/${id}/ledger`);
    expect(JSON.stringify(books)).toContain('BTC');
    await call(host, 'POST', `/api/v1/bots/${id}/start`);
    await botUntil(host, id, 'running', ({ status }) => status === 'running');
  });

  it('stays deleted when the host is started again, and is gone for good when the trash is emptied', async ({
    onTestFinished,
  }) => {
    const host = shared(onTestFinished);
    const { bot_id: id } = await deployTiny(host, { name: 'gone-for-good', bot: BOT });
    await lineUntil(host, id, 'up');
    await call(host, 'DELETE', `/api/v1/bots/${id}`);
    await host.stop();
    await host.start();
    expect((await trashOf(host)).map(({ bot_id }) => bot_id)).toEqual([id]);
    expect(pidsOfBot(host, id)).toEqual([]);
    const folder = join(host.dataDir, 'bots', id);
    expect(existsSync(folder)).toBe(true);
    expect(await call(host, 'POST', '/api/v1/trash/empty', {})).toEqual({ removed: [id], failed: [] });
    expect([existsSync(folder), await trashOf(host)]).toEqual([false, []]);
    expect((await host.fetch(`/api/v1/trash/${id}/restore`, { method: 'POST', body: '{}' })).status).toBe(404);
  });

  it('keeps its version and shows in the commands', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const { bot_id: id, name } = await deployTiny(host, { name: 'by-command', bot: BOT });
    const gone = await host.cli('bot', 'delete', name, '-y');
    expect([gone.code, gone.stdout]).toEqual([0, expect.stringContaining(`trash restore ${id}`)]);
    const kept = await host.fetch('/api/v1/custom-bots/by-command/versions/1.0.0', { method: 'DELETE' });
    expect(await kept.json()).toMatchObject({
      error: { code: 'VERSION_IN_USE', message: expect.stringContaining('(in the trash)') },
    });
    expect((await host.cli('trash', 'list')).stdout).toContain(name);
    await until('it to be restored', async () => (await host.cli('trash', 'restore', name)).code === 0);
    expect((await host.cli('bot', 'list')).stdout).toContain(name);
    expect((await host.cli('bot', 'delete', id, '-y')).code).toBe(0);
    const refused = await host.cli('trash', 'empty', name);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Nothing was removed')]);
    expect((await host.cli('trash', 'empty', name, '-y')).stdout).toContain('Removed for good: 1 bot.');
    const none = await host.cli('trash', 'restore', name);
    expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('is in the trash')]);
  });
});

describe('a key', () => {
  const as = (key: string) => ({ headers: { 'x-api-key': key, 'content-type': 'application/json' } });
  const codeOf = async (answer: Response): Promise<string | null> =>
    answer.ok ? null : ((await answer.json()) as { error: { code: string } }).error.code;

  it('makes nothing again that a person deleted, by no way, and empties no trash', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const key = await makeKey(host, { name: 'remaker', scope: 'full' });
    const bot = { name: 'remade', bot: BOT };
    const { bot_id: id, name } = await deployTiny(host, bot, { enabled: false });
    const other = await deployTiny(host, { name: 'renamed', bot: BOT }, { enabled: false });
    await call(host, 'DELETE', `/api/v1/bots/${id}`);
    const send = async (method: string, path: string, body: object): Promise<string | null> =>
      codeOf(await fetch(`${host.url}${path}`, { method, ...as(key), body: JSON.stringify(body) }));
    const request = { name, type: 'realtime/remade', version: '1.0.0', enabled: false, config: {} };
    expect(await send('POST', '/api/v1/bots', request)).toBe('DELETED_BY_PERSON');
    expect(await send('POST', '/api/v1/bots', { ...request, name: 'another name' })).toBe('DELETED_BY_PERSON');
    expect(await send('PATCH', `/api/v1/bots/${other.bot_id}`, { name })).toBe('DELETED_BY_PERSON');
    expect(await send('POST', `/api/v1/trash/${id}/restore`, {})).toBe('DELETED_BY_PERSON');
    expect(await send('POST', '/api/v1/trash/empty', {})).toBe('SESSION_REQUIRED');
    const asked = await tool(host, key, 'bot_deploy', { config: request });
    expect(JSON.stringify(asked)).toContain('ask the user');
    expect((await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items.map((one) => one.name)).toEqual([
      'renamed',
    ]);
    // The person may.
    expect((await rested(host, id)).name).toBe(name);
  });

  it('restores what a key deleted', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const key = await makeKey(host, { name: 'own-mistake', scope: 'deploy' });
    const { bot_id: id } = await deployTiny(host, { name: 'by-key', bot: BOT }, { enabled: false });
    await tool(host, key, 'bot_delete', { bot_id: id });
    expect(await trashOf(host)).toMatchObject([{ deleted_by: 'key own-mistake', in_person: false }]);
    const answer = await fetch(`${host.url}/api/v1/trash/${id}/restore`, { method: 'POST', ...as(key), body: '{}' });
    expect(answer.status).toBe(200);
    const reader = await makeKey(host, { name: 'only-reads', scope: 'read' });
    await call(host, 'DELETE', `/api/v1/bots/${id}`);
    const refused = await fetch(`${host.url}/api/v1/trash/${id}/restore`, {
      method: 'POST',
      ...as(reader),
      body: '{}',
    });
    expect(await codeOf(refused)).toBe('FORBIDDEN');
  });
});
