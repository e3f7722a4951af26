import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { BotEvent } from '../../src/contract/bot.ts';
import { killAll, pidsOfBot, pidsUnder, sharedHost, testHost } from '../support/platform.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, logsOf, publish, runsOf, tell } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const UP = `console.log('up ' + process.pid); setInterval(() => {}, 1000);`;
const SLOW_QUERY = `
import { setTimeout as wait } from 'node:timers/promises';
import { query } from '@bot-platform/sdk';
query.handler('/slow', async () => { await wait(30_000); return {}; });
query.run();
`;

/** Changes the control database as no host would. */
function edit(dataDir: string, sql: string, ...values: (string | number)[]): void {
  const db = new Database(join(dataDir, 'control.db'));
  db.prepare(sql).run(...values);
  db.close();
}

/** Makes a bot's program impossible to adopt, while no host runs; returns the stored handle. */
function hide(dataDir: string, botId: string): string {
  const db = new Database(join(dataDir, 'control.db'));
  const stored = db.prepare<[string], { handle: string }>('select handle from unit where bot_id = ?').get(botId);
  db.prepare('update unit set handle = \'{"engine":"elsewhere"}\' where bot_id = ?').run(botId);
  db.close();
  return stored?.handle ?? '';
}

const STUCK = { status: 'failed', reason: { code: 'NOT_ADOPTED' } };

describe.concurrent('a program that cannot be taken over', () => {
  it('is never joined by a second one; ends with its bot; is taken over once that works; keeps no other bot down', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const fine = await deployTiny(host, { name: 'fine', bot: UP });
    const later = await deployTiny(host, { name: 'later', bot: UP });
    const goes = await deployTiny(host, { name: 'goes', bot: UP });
    const waits = await deployTiny(host, { name: 'waits', type: 'scheduled', bot: UP });
    const path = `/api/v1/bots/${waits.bot_id}`;
    await call(host, 'POST', `${path}/run`);
    for (const { bot_id } of [fine, later, goes, waits]) await lineUntil(host, bot_id, 'up ');
    await host.kill();
    hide(host.dataDir, goes.bot_id);
    hide(host.dataDir, waits.bot_id);
    const handle = hide(host.dataDir, later.bot_id);
    await host.start();
    expect(await getBot(host, fine.bot_id)).toMatchObject({ status: 'running', restarts: 0 });

    const programs = pidsOfBot(host, later.bot_id);
    expect(programs.length).toBeGreaterThan(0);
    expect(await getBot(host, later.bot_id)).toMatchObject(STUCK);
    expect(await call(host, 'POST', `/api/v1/bots/${later.bot_id}/start`)).toMatchObject(STUCK);
    expect(pidsOfBot(host, later.bot_id)).toEqual(programs);
    edit(host.dataDir, 'update unit set handle = ? where bot_id = ?', handle, later.bot_id);
    await botUntil(host, later.bot_id, 'taken over', (one) => one.status === 'running');
    expect(await getBot(host, later.bot_id)).toMatchObject({ reason: null, restarts: 0 });
    expect(pidsOfBot(host, later.bot_id)).toEqual(programs);
    expect((await runsOf(host, later.bot_id)).map((run) => run.status)).toEqual(['running']);

    expect(pidsOfBot(host, goes.bot_id).length).toBeGreaterThan(0);
    await call(host, 'DELETE', `/api/v1/bots/${goes.bot_id}`);
    expect(pidsOfBot(host, goes.bot_id)).toEqual([]);
    await expect(getBot(host, goes.bot_id)).rejects.toThrow('Bot not found');

    // A scheduled bot does not run until it has ended.
    expect(await call(host, 'POST', `${path}/start`)).toMatchObject(STUCK);
    const refused = await host.fetch(`${path}/run`, { method: 'POST' });
    expect(await refused.json()).toMatchObject({ error: { code: 'BOT_RUNNING' } });
    killAll(pidsOfBot(host, waits.bot_id));
    await until('its end', () => pidsOfBot(host, waits.bot_id).length === 0);
    expect(await call(host, 'POST', `${path}/start`)).toMatchObject({ status: 'scheduled', reason: null });
    expect(await call(host, 'POST', `${path}/run`)).toMatchObject({ status: 'running' });
    expect((await runsOf(host, waits.bot_id)).map((run) => run.status)).toEqual(['running', 'lost']);
  });

  it('is made up for by itself when it has ended, for good; of an old run it fails no bot that was taken over', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const bot = await deployTiny(host, { name: 'ends', bot: UP });
    const both = await deployTiny(host, { name: 'both', bot: UP });
    for (const { bot_id } of [bot, both]) await lineUntil(host, bot_id, 'up ');
    await host.kill();
    hide(host.dataDir, bot.bot_id);
    const copy =
      "insert into run (run_id, bot_id, version, trigger, status, started_at, created_at) select 'run_0', bot_id, version, trigger, status, started_at, created_at from run";
    edit(host.dataDir, `${copy} where bot_id = ?`, both.bot_id);
    const unit =
      "insert into unit (run_id, role, bot_id, engine, epoch, handle, created_at) values ('run_0', 'bot', ?, 'process', 1, '{}', 0)";
    edit(host.dataDir, unit, both.bot_id);
    await host.start();
    expect(await getBot(host, both.bot_id)).toMatchObject({ status: 'running', reason: null, restarts: 0 });
    expect((await runsOf(host, both.bot_id)).map((run) => run.status)).toEqual(['running', 'lost']);
    expect(await getBot(host, bot.bot_id)).toMatchObject(STUCK);
    killAll(pidsOfBot(host, bot.bot_id));
    await botUntil(host, bot.bot_id, 'another program', (one) => one.status === 'running');
    await host.kill();
    await host.start();
    expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'running', reason: null, restarts: 0 });
    expect((await runsOf(host, bot.bot_id)).map((run) => run.status)).toEqual(['running', 'lost']);
  });
});

describe.concurrent('a host that starts again', () => {
  it('ends programs that its control database does not know, and sets their folders aside', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const known = await deployTiny(host, { name: 'known', bot: UP });
    await lineUntil(host, known.bot_id, 'up ');
    const control = join(host.dataDir, 'control.db');
    const copy = join(host.dataDir, 'copy.db');
    const db = new Database(control, { readonly: true });
    db.prepare('vacuum into ?').run(copy);
    db.close();
    const later = await deployTiny(host, { name: 'later', bot: UP });
    await lineUntil(host, later.bot_id, 'up ');
    await host.kill();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${control}${suffix}`, { force: true });
    const restored = new Database(copy, { readonly: true });
    restored.prepare('vacuum into ?').run(control);
    restored.close();
    await host.start();
    const { items } = await call<{ items: { name: string }[] }>(host, 'GET', '/api/v1/bots');
    expect(items.map((bot) => bot.name)).toEqual(['known']);
    expect(pidsOfBot(host, later.bot_id)).toEqual([]);
    expect(readdirSync(join(host.dataDir, 'set-aside'))).toEqual([expect.stringContaining(later.bot_id)]);
    expect(await getBot(host, known.bot_id)).toMatchObject({ status: 'running', restarts: 0 });
  });

  it('leaves no query program behind: not after a crash, not after a delete, not after a stop', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const deploy = (name: string) =>
      deployTiny(host, { name, type: 'scheduled', bot: 'process.exitCode = 0;', query: SLOW_QUERY });
    const ask = (botId: string): Promise<unknown> =>
      host
        .fetch(`/bot/${botId}/query`, { method: 'POST', body: JSON.stringify({ path: '/slow' }) })
        .catch((error: unknown) => error);
    const running = (botId: string) => until('the query program', () => pidsOfBot(host, botId).length > 0);

    const crashed = await deploy('crashed');
    void ask(crashed.bot_id);
    await running(crashed.bot_id);
    await host.kill();
    await host.start();
    expect(pidsOfBot(host, crashed.bot_id)).toEqual([]);

    const deleted = await deploy('deleted');
    const answer = ask(deleted.bot_id);
    await running(deleted.bot_id);
    await call(host, 'DELETE', `/api/v1/bots/${deleted.bot_id}`);
    expect(pidsOfBot(host, deleted.bot_id)).toEqual([]);
    expect(await answer).toMatchObject({ status: 409 });
    await call(host, 'POST', '/api/v1/trash/empty', { bot_ids: [deleted.bot_id] });
    expect(existsSync(join(host.dataDir, 'bots', deleted.bot_id))).toBe(false);

    void ask(crashed.bot_id);
    await running(crashed.bot_id);
    await host.stop();
    expect(pidsUnder(host.dataDir)).toEqual([]);
  });

  it('masks what a program was started with, whatever its config says by then and an earlier release kept', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const schema = { type: 'object', properties: { api_key: { type: 'string' } } };
    const bot = `
      process.on('SIGTERM', () => {});
      const { api_key } = JSON.parse(process.env.BOT_CONFIG);
      let n = 0;
      setInterval(() => console.log('tick ' + n++ + ' ' + api_key), 100);`;
    const old = 'old-key-0123456789abcdef';
    const made = await deployTiny(host, { name: 'rotates', bot, schema }, { config: { api_key: old } });
    const once = `
      import { existsSync, writeFileSync } from 'node:fs';
      const { api_key } = JSON.parse(process.env.BOT_CONFIG);
      console.log('up');
      setInterval(() => {
        if (!existsSync(process.env.STATE_DIR + '/end')) return;
        writeFileSync(process.env.RESULT_FILE, JSON.stringify({ note: 'used ' + api_key }));
        process.exit(0);
      }, 50);`;
    const upgraded = await deployTiny(
      host,
      { name: 'upgraded', type: 'scheduled', bot: once, schema },
      { config: { api_key: 'exchangekeyabcdefgh' } },
    );
    await call(host, 'POST', `/api/v1/bots/${upgraded.bot_id}/run`);
    await lineUntil(host, upgraded.bot_id, 'up');
    await lineUntil(host, made.bot_id, 'tick 1 ');
    await call(host, 'PATCH', `/api/v1/bots/${made.bot_id}`, { config: { api_key: 'new-key-0123456789abcdef' } });
    await host.kill();
    // An earlier release kept no secrets of runs.
    edit(host.dataDir, "update unit set secrets = '[]' where bot_id = ?", upgraded.bot_id);
    await host.start();
    const before = (await logsOf(host, made.bot_id)).length;
    await until('more lines', async () => (await logsOf(host, made.bot_id)).length > before + 5);
    const lines = await logsOf(host, made.bot_id);
    expect(lines.map((line) => line.message).filter((text) => text.includes(old))).toEqual([]);
    tell(host, upgraded.bot_id, 'end');
    const [run] = await until('the end of the run', async () => {
      const runs = await runsOf(host, upgraded.bot_id);
      return runs[0]?.status === 'succeeded' ? runs : null;
    });
    expect(run?.result).toEqual({ note: 'used ***' });
  });
});

const shared = sharedHost();

describe.concurrent('runs', () => {
  it('never stay "starting" when a start meets a launch', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, { name: 'hasty', bot: UP });
    for (let round = 0; round < 10; round++) {
      await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`);
      await botUntil(host, bot.bot_id, 'stopped', (one) => one.status === 'stopped');
      await Promise.all([1, 2, 3].map(() => call(host, 'POST', `/api/v1/bots/${bot.bot_id}/start`)));
      await botUntil(host, bot.bot_id, 'running', (one) => one.status === 'running');
    }
  });

  it('that failed are told until one goes well', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, { name: 'unlucky', type: 'scheduled', bot: 'process.exit(3);' });
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/run`);
    await until('the end of the run', async () => (await runsOf(host, bot.bot_id))[0]?.status === 'failed');
    const failed = await botUntil(host, bot.bot_id, 'scheduled again', (one) => one.status === 'scheduled');
    expect(failed.reason).toMatchObject({ code: 'EXIT_CODE' });
    await publish(host, { name: 'unlucky', type: 'scheduled', version: '1.0.1', bot: 'process.exitCode = 0;' });
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { version: '1.0.1' });
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/run`);
    await botUntil(host, bot.bot_id, 'no reason any more', (one) => one.status === 'scheduled' && one.reason === null);
  });

  it('that overlap leave each other the state they are writing', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = `
      import { renameSync, writeFileSync } from 'node:fs';
      const part = process.env.STATE_DIR + '/.tmp-' + process.pid + '-1';
      writeFileSync(part, '1');
      console.log('writing');
      setTimeout(() => renameSync(part, process.env.STATE_DIR + '/k' + process.pid + '.json'), 2500);`;
    const made = await deployTiny(
      host,
      { name: 'overlaps', type: 'scheduled', bot },
      { options: { overlap: 'allow' } },
    );
    await call(host, 'POST', `/api/v1/bots/${made.bot_id}/run`);
    await lineUntil(host, made.bot_id, 'writing');
    await call(host, 'POST', `/api/v1/bots/${made.bot_id}/run`);
    await until('both runs to end', async () =>
      (await runsOf(host, made.bot_id)).every((run) => run.ended_at !== null),
    );
    expect((await runsOf(host, made.bot_id)).map((run) => run.status)).toEqual(['succeeded', 'succeeded']);
  });
});

it('a config keeps its secrets', async ({ onTestFinished }) => {
  const host = shared(onTestFinished);
  const schema = { type: 'object', properties: { symbol: { type: 'string' }, api_key: { type: 'string' } } };
  const query = `
    import { query, state } from '@bot-platform/sdk';
    query.handler('/config', () => query.get_config());
    query.run();`;
  const bot = `
    import { state } from '@bot-platform/sdk';
    state.set('settings', { key: JSON.parse(process.env.BOT_CONFIG).api_key, n: 1 });
    console.log('key ' + JSON.parse(process.env.BOT_CONFIG).api_key.length);
    setInterval(() => {}, 1000);`;
  const secret = 'exchange-key-0123456789';
  const refused = await host.fetch('/api/v1/bots', { method: 'POST', body: '{}' });
  expect(refused.status).toBe(400);
  const made = await deployTiny(
    host,
    { name: 'keeps', bot, query, schema },
    { config: { symbol: 'A', api_key: secret } },
  );
  await lineUntil(host, made.bot_id, `key ${secret.length}`);

  const copy = await host.fetch('/api/v1/bots', {
    method: 'POST',
    body: JSON.stringify({ ...{ name: 'copy', type: 'realtime/keeps', version: '1.0.0' }, config: made.config }),
  });
  expect(await copy.json()).toMatchObject({ error: { code: 'INVALID_CONFIG' } });

  const changed = await call<{ config: object }>(host, 'PATCH', `/api/v1/bots/${made.bot_id}`, {
    config: { symbol: 'B' },
  });
  expect(changed.config).toEqual({ symbol: 'B', api_key: '********' });
  const typo = await host.fetch(`/api/v1/bots/${made.bot_id}`, { method: 'PATCH', body: '{"versoin":"9.9.9"}' });
  expect(await typo.json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: [{ path: 'versoin', hint: 'Did you mean "version"?' }] },
  });
  await until('the bot with its key', async () => {
    const keys = (await logsOf(host, made.bot_id)).filter((line) => line.message === `key ${secret.length}`);
    return keys.length >= 2;
  });

  const asked = await until('the query server', async () => {
    const answer = await host.fetch(`/bot/${made.bot_id}/query`, { method: 'POST', body: '{"path":"/config"}' });
    return answer.ok ? answer.text() : null;
  });
  expect(asked).not.toContain(secret);
  expect(JSON.parse(asked)).toMatchObject({ symbol: 'B', api_key: '***' });

  await call(host, 'POST', `/api/v1/bots/${made.bot_id}/stop`);
  await botUntil(host, made.bot_id, 'stopped', (one) => one.status === 'stopped');
  const path = `/api/v1/bots/${made.bot_id}/state/settings`;
  const { value } = await call<{ value: { key: string; n: number } }>(host, 'GET', path);
  expect(value).toEqual({ key: '***', n: 1 });
  await call(host, 'PUT', path, { value: { ...value, n: 2 } });
  const file = join(host.dataDir, 'bots', made.bot_id, 'state/.platform/settings.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ key: secret, n: 2 });
});

it('an end that was asked for comes about, and is told as one, when the host is killed meanwhile', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const once = `process.once('SIGTERM', () => console.log('not yet'));`;
  const again = await deployTiny(host, { name: 'again', bot: `${once} ${UP}` });
  const ends = await deployTiny(host, { name: 'ends', bot: UP });
  for (const { bot_id } of [again, ends]) await lineUntil(host, bot_id, 'up ');
  await call(host, 'POST', `/api/v1/bots/${again.bot_id}/restart`);
  await lineUntil(host, again.bot_id, 'not yet');
  await host.kill();
  edit(host.dataDir, "update bot set enabled = 0, status = 'stopping' where bot_id = ?", ends.bot_id);
  for (const pid of pidsOfBot(host, ends.bot_id)) process.kill(pid, 'SIGTERM');
  await until('its end', () => pidsOfBot(host, ends.bot_id).length === 0);
  await host.start();
  await botUntil(host, again.bot_id, 'its next run', (one) => one.status === 'running' && one.run_id !== again.run_id);
  await botUntil(host, ends.bot_id, 'its end', (one) => one.status === 'stopped');
  for (const { bot_id } of [again, ends]) {
    expect((await runsOf(host, bot_id)).at(-1)).toMatchObject({ status: 'stopped', reason: null });
    const { items } = await call<{ items: BotEvent[] }>(host, 'GET', `/api/v1/bots/${bot_id}/events`);
    expect(items.map(({ status }) => status)).not.toContain('backing_off');
  }
});
