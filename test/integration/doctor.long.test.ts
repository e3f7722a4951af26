import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { HostInfo } from '../../src/contract/host.ts';
import { openControlDatabase } from '../../src/main/host/control/control-database.ts';
import { createSegment } from '../../src/main/host/logs/log-database.ts';
import { AnsweringEngine } from '../support/docker/answering-engine.ts';
import { standForHost } from '../support/host-files.ts';
import { LogHere } from '../support/log-here.ts';
import { TestHost, testHost } from '../support/platform.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';
import { json, smallHost } from '../unit/cli/small-host.ts';

type Checks = Record<string, { level: string; message: string; why: string; hint: string | null; fix: string | null }>;

/** What the doctor says of a data folder, by the ids of its checks. */
async function examined(host: TestHost, env: NodeJS.ProcessEnv = {}, ...flags: string[]) {
  const { code, stdout, stderr } = await host.cliWith({ env }, 'doctor', '--json', ...flags);
  expect(stderr).toBe('');
  const answer = JSON.parse(stdout);
  const checks: Checks = Object.fromEntries(answer.checks.map((one: { id: string }) => [one.id, one]));
  return { code, checks, fixes: answer.fixes, faults: answer.faults };
}

function levelsOf(checks: Checks): Record<string, string> {
  return Object.fromEntries(Object.entries(checks).map(([id, { level }]) => [id, level]));
}

/** A data folder with a control database, as a host leaves it. */
function leftBy(host: TestHost): Database.Database {
  const dir = host.dataDir;
  for (const name of ['bots', 'catalog', 'backups']) mkdirSync(join(dir, name), { mode: 0o700 });
  const db = openControlDatabase(join(dir, 'control.db'), { backupDir: join(dir, 'backups'), now: Date.now });
  for (const name of readdirSync(dir).filter((one) => one.startsWith('control.db'))) chmodSync(join(dir, name), 0o600);
  return db;
}

const ENDED = { pid: 4_000_000, started: '1', boot: 'another' };

describe.concurrent('platform doctor', () => {
  it('finds what a killed host left and what is damaged, mends what it can, and says the rest again', async () => {
    const host = new TestHost();
    const dir = host.dataDir;
    const db = leftBy(host);
    db.prepare("insert into user values ('u', 'ann', 'owner', null, 0)").run();
    db.prepare("insert into custom_bot_version values ('u', 'gone', '1.0.0', '{}', '{}', 'h', 0)").run();
    db.close();
    writeFileSync(join(dir, 'host.lock'), JSON.stringify(ENDED), { mode: 0o600 });
    writeFileSync(join(dir, 'host.json'), JSON.stringify({ url: 'http://127.0.0.1:9', token: 't', pid: 4_000_000 }));
    writeFileSync(join(dir, '.tmp-4000000-1'), 'half');
    const [cut, made] = [join(dir, 'backups', '.tmp-4000000-1'), join(dir, 'backups', `.tmp-${process.pid}-1`)];
    for (const backup of [cut, made]) {
      mkdirSync(backup);
      writeFileSync(join(backup, 'part'), 'half');
    }
    for (const [name, mode] of [
      ['host.json', 0o644],
      ['.', 0o755],
    ] as const)
      chmodSync(join(dir, name), mode);
    mkdirSync(join(dir, 'bots', 'bot_unknown'));
    mkdirSync(join(dir, 'bots', 'bot_fine'));
    createSegment({ file: join(dir, 'bots', 'bot_fine', 'log.db'), after: null, above: null });
    const hurt = new LogHere(join(dir, 'bots', 'bot_hurt'));
    hurt.write(1, [{ line: 'bought', level: 1, run: 'run_1' }]);
    hurt.close();
    const segment = new Database(join(dir, 'bots', 'bot_hurt', 'log.db'));
    segment.exec('update line_block set body = zeroblob(length(body))');
    segment.close();
    mkdirSync(join(dir, 'bots', 'bot_damaged'));
    writeFileSync(join(dir, 'bots', 'bot_damaged', 'log-3.db'), 'no database at all'.repeat(100));
    writeFileSync(join(dir, 'settings.json'), '{"prot":1}');
    writeFileSync(join(dir, 'host.log'), '');
    const tomorrow = Date.now() / 1000 + 86_400;
    utimesSync(join(dir, 'host.log'), tomorrow, tomorrow);
    const env = { TZ: 'Nowhere/Land', DOCKER_HOST: `unix://${dir}/no.sock` };

    const found = await examined(host, env);
    expect(levelsOf(found.checks)).toMatchObject({
      native_module: 'ok',
      modes: 'fault',
      lock: 'note',
      left_files: 'note',
      control_db: 'ok',
      log_dbs: 'note',
      folders_of_bots: 'note',
      code: 'fault',
      settings: 'fault',
      clock: 'fault',
      time_zone: 'note',
      docker: 'spare',
      host: 'spare',
    });
    expect(found.code).toBe(9);
    expect(found.checks.settings?.message).toContain('prot');
    expect(found.checks.log_dbs?.message).toContain('2 of 3 damaged');
    expect(found.checks.code?.message).toContain('gone 1.0.0');
    expect(Object.values(found.checks).every(({ why }) => why !== '')).toBe(true);
    expect(existsSync(join(dir, 'host.lock'))).toBe(true);
    expect(readdirSync(join(dir, 'bots', 'bot_fine')), 'a look leaves nothing behind').toEqual(['log.db']);

    const mended = await examined(host, env, '--fix');
    expect(mended.fixes.map(({ id, error }: { id: string; error: null }) => [id, error])).toEqual([
      ['modes', null],
      ['lock', null],
      ['left_files', null],
    ]);
    expect(levelsOf(mended.checks)).toMatchObject({ modes: 'ok', lock: 'ok', code: 'fault', settings: 'fault' });
    expect(mended.checks.left_files).toBeUndefined();
    expect([existsSync(cut), existsSync(made)], 'what a process is making is not left').toEqual([false, true]);
    expect(readdirSync(dir).filter((name) => /^host\.(lock|json)|^\.tmp/.test(name))).toEqual([]);
    expect(readdirSync(join(dir, 'bots')).sort()).toEqual(['bot_damaged', 'bot_fine', 'bot_hurt', 'bot_unknown']);
    expect(statSync(join(dir, 'control.db')).mode & 0o077).toBe(0);
  });

  it('says before the first start that nothing is there yet and that the modules work', async () => {
    const host = new TestHost();
    const missing = join(host.dataDir, 'not', 'yet');
    const { code, checks, faults } = await examined(host, {}, '--data', missing);
    expect(checks).toMatchObject({
      native_module: { level: 'ok' },
      data_folder: { level: 'spare', message: `${missing} is not there yet` },
      lock: { level: 'ok', message: 'free' },
    });
    expect([faults, code === 9]).toEqual([0, false]);
    expect(existsSync(missing), 'a look leaves nothing behind').toBe(false);
  });

  it('tells the least isolation of the host and which bots run with less', async () => {
    const host = new TestHost();
    const db = leftBy(host);
    expect((await examined(host)).checks.isolation).toMatchObject({
      level: 'ok',
      message: expect.stringContaining('at least none'),
    });
    const bot = (id: string, exception: string | null): void => {
      db.prepare(
        `insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status,
           created_at, updated_at, isolation_exception)
         values (?, 'u', ?, 'realtime', 'c', '1.0.0', '{}', 0, '{}', 1, 'running', 0, 0, ?)`,
      ).run(id, `named ${id}`, exception);
    };
    db.exec("insert into user values ('u', 'ann', 'owner', null, 0)");
    db.exec("insert into custom_bot_version values ('u', 'c', '1.0.0', '{}', '{}', 'h', 0)");
    db.exec("insert into setting values ('least_isolation', 'container')");
    bot('b1', JSON.stringify({ least: 'container', since: 0 }));
    bot('b2', null);
    db.close();
    expect((await examined(host)).checks.isolation).toMatchObject({
      level: 'note',
      message: 'at least container; 1 bot runs with less, as an exception: named b1',
      hint: expect.stringContaining('platform isolation end'),
    });
  });

  it('tells a control database that is damaged, gone, or of a newer release', async () => {
    const [damaged, newer, gone] = [new TestHost(), new TestHost(), new TestHost()];
    mkdirSync(join(gone.dataDir, 'bots', 'bot_1'), { recursive: true });
    expect((await examined(gone)).checks.control_db).toMatchObject({
      level: 'fault',
      message: 'missing, but bots/ holds the folders of 1 bots',
      hint: expect.stringContaining('platform restore FILE'),
    });
    leftBy(damaged).close();
    writeFileSync(join(damaged.dataDir, 'control.db'), 'x'.repeat(5000), { mode: 0o600 });
    const db = leftBy(newer);
    db.pragma('user_version = 999');
    db.close();
    expect((await examined(damaged)).checks.control_db).toMatchObject({
      level: 'fault',
      message: expect.stringContaining('damaged'),
    });
    expect((await examined(newer)).checks.control_db).toMatchObject({
      level: 'fault',
      message: expect.stringContaining('999'),
    });
  });

  it('tells of a restore that was cut short the command that goes on with it, as the host does', async () => {
    const [host, damaged] = [new TestHost(), new TestHost()];
    const restored = { file: '/elsewhere/mine.tar.gz', made_at: '2026-11-22T00:00:00.000Z', bots: [], ended: 0 };
    const plan = { restored, start_bots: true, aside: 'set-aside/x', parts: null, code: null, logs_of: [] };
    for (const [one, stored] of [
      [host, JSON.stringify(plan)],
      [damaged, ''],
    ] as const) {
      mkdirSync(join(one.dataDir, 'set-aside', 'before-restore-1'), { recursive: true });
      mkdirSync(join(one.dataDir, 'restoring-1'));
      writeFileSync(join(one.dataDir, 'restoring-1', 'control.db'), 'staged');
      writeFileSync(join(one.dataDir, 'restoring-1', 'plan.json'), stored);
    }
    const { checks } = await examined(host);
    expect(checks.control_db).toMatchObject({
      level: 'fault',
      message: 'missing, but set-aside/ holds what an unfinished restore put there',
      hint: expect.stringContaining(`platform restore "/elsewhere/mine.tar.gz" --data "${host.dataDir}" --start-bots`),
    });
    expect(checks.folders_of_bots, 'what was there before is not to be removed').toBeUndefined();
    expect((await examined(damaged)).checks.control_db).toMatchObject({
      level: 'fault',
      hint: expect.stringMatching(/its plan .* is damaged .*Move .*restoring-1 out of the data folder/),
    });
  });

  it('tells a port that is taken and a Docker that is missing where the settings ask for them', async ({
    onTestFinished,
  }) => {
    const host = new TestHost();
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    writeFileSync(join(host.dataDir, 'settings.json'), JSON.stringify({ port, engine: 'docker' }));
    const { checks } = await examined(host, { DOCKER_HOST: 'unix:///none/docker.sock' });
    expect(levelsOf(checks)).toMatchObject({ port: 'fault', docker: 'fault', settings: 'ok' });
    expect(checks.docker?.message).toContain('no such socket');
  });

  it('looks for Docker where the host that runs has it, and names that address', async ({ onTestFinished }) => {
    const engine = new AnsweringEngine();
    await engine.start();
    onTestFinished(() => engine.stop());
    const address = `unix://${engine.socket}`;
    const host = await testHost(onTestFinished, undefined, null, { DOCKER_HOST: address });
    // The host's environment is not the one of the command.
    const env = { DOCKER_HOST: 'unix:///none/docker.sock' };
    expect((await examined(host, env)).checks.docker).toMatchObject({
      level: 'ok',
      message: expect.stringContaining(`28.2.2 at ${address}`),
    });
    await engine.stop();
    const gone = (await examined(host, env)).checks.docker;
    expect(gone?.message).toContain(`${address}: there is no such socket`);
    const key = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'k' });
    const seen = await host.fetch('/api/v1/host', { headers: { authorization: `Bearer ${key.key}` } });
    const { engines }: HostInfo = JSON.parse(await seen.text());
    expect(engines.filter((one) => one.address !== null)).toEqual([]);
    expect(engines.length).toBeGreaterThan(1);
  });

  it('asks the host that holds the lock: its version, its clock; and leaves its files alone', async ({
    onTestFinished,
  }) => {
    const host = new TestHost();
    leftBy(host).close();
    const small = await smallHost(onTestFinished, (_, response) => {
      response.setHeader('date', new Date(Date.now() + 3_600_000).toUTCString());
      json(response, 200, { version: '0.0.1', pid: 1, engines: [], bots: {} });
    });
    standForHost(host.dataDir, small);
    const { checks, fixes } = await examined(host, {}, '--fix');
    expect(levelsOf(checks)).toMatchObject({ lock: 'ok', host: 'ok', version: 'note', clock_of_host: 'note' });
    expect(fixes).toEqual([]);
    expect(existsSync(join(host.dataDir, 'host.json'))).toBe(true);
  });

  it('and stop count the bots that go on without a host, in whatever way it ended', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    for (const name of ['one', 'two']) await deployTiny(host, { name, bot: 'setInterval(() => {}, 1000);' });
    expect((await examined(host)).checks.bots_without_host).toBeUndefined();
    const kept = await host.cli('stop', '--leave-bots');
    expect(kept.stdout).toContain('Its bots go on');
    const told = {
      level: 'note',
      message: '2 bots go on without a host',
      hint: expect.stringContaining('platform start'),
    };
    expect((await examined(host)).checks.bots_without_host).toMatchObject(told);
    const again = await host.cli('stop');
    expect(again.stdout).toMatch(/No host runs on .*\.\n2 bots go on without a host; .*start takes them over\./);
    expect(await host.json('stop')).toEqual({ ok: true, was_running: false, bots_going_on: 2 });

    await host.start();
    await host.kill();
    expect((await examined(host)).checks.bots_without_host).toMatchObject(told);
    expect((await host.cli('stop')).stdout).toMatch(/is gone already.*\n2 bots go on without a host/);

    await host.start();
    await host.stop();
    expect((await examined(host)).checks.bots_without_host).toBeUndefined();
    expect((await host.cli('stop')).stdout).toContain('nothing to stop');
  });

  it('and start call a missing Docker a fault where the host demands containers', async ({ onTestFinished }) => {
    const none = 'unix:///none/docker.sock';
    const host = new TestHost();
    host.engine = 'docker';
    host.env = { DOCKER_HOST: none };
    await host.start();
    await host.stop();
    const { checks, code } = await examined(host);
    expect(code).toBe(9);
    expect(checks.docker).toMatchObject({
      level: 'fault',
      message: expect.stringContaining('no bot can be deployed'),
      hint: expect.stringMatching(/Start it.*platform start --engine auto/),
    });
    onTestFinished(() => host.cli('stop').then(() => undefined));
    const started = await host.cli('start', '--detach', '--port', '0');
    expect(started.stdout).toMatch(/No bot can be deployed or started: .*"container".*platform start --engine auto/);
  });
});
