import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { Bot, Run } from '../../src/contract/bot.ts';
import { MIGRATIONS, migrate } from '../../src/main/host/control/control-database.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';
import { call, deployTiny, lineUntil, logsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/** Every released schema in the full rounds, else one that the seed picks. */
const ALL = rounds(1, 2);

const BOT = `
import { state } from '@bot-platform/sdk';
state.set('bought', { shares: 7 });
let n = 0;
setInterval(() => console.log('tick ' + n++), 50);`;

/** The schema that gave columns their names of today, which are these. */
const RENAMED_IN = 27;
const NAMES_TODAY: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bot: { generation: 'epoch', change_count: 'generation' },
  unit: { generation: 'epoch' },
};

/**
 * Makes the control database of an earlier release out of today's: its tables, with all rows, with the columns of that
 * schema.
 */
function asOfSchema(version: number, today: string, file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  migrate(db, { backupDir: '', now: () => 0, migrations: MIGRATIONS.filter((one) => one.version <= version) });
  db.pragma('foreign_keys = OFF');
  db.prepare('attach ? as today').run(today);
  const tables = db
    .prepare<[], string>("select name from main.sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all();
  const columns = db.prepare<[string, string], string>('select name from pragma_table_info(?, ?)').pluck();
  for (const table of tables) {
    const there = new Set(columns.all(table, 'today'));
    const renamed = version < RENAMED_IN ? (NAMES_TODAY[table] ?? {}) : {};
    const names = columns
      .all(table, 'main')
      .map((name) => ({ old: name, today: renamed[name] ?? name }))
      .filter(({ today }) => there.has(today));
    const [old, today] = [names.map((name) => name.old).join(), names.map((name) => name.today).join()];
    // A migration may have put rows of its own there.
    db.exec(`delete from main.${table}`);
    db.exec(`insert into main.${table} (${old}) select ${today} from today.${table}`);
  }
  db.close();
}

/** A user's data, as the host returns it. */
async function belongings(host: TestHost, realtime: string, scheduled: string, key: string) {
  const { items } = await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots');
  const bots = items.map(({ bot_id, name, type, version, schedule, config, options, enabled, engine, created_at }) => ({
    ...{ bot_id, name, type, version, schedule, config, options, enabled, engine, created_at },
  }));
  const { items: runs } = await call<{ items: Run[] }>(host, 'GET', `/api/v1/bots/${scheduled}/runs`);
  const state = await call(host, 'GET', `/api/v1/bots/${realtime}/state`);
  const custom = await call(host, 'GET', '/api/v1/custom-bots');
  const byKey = await fetch(`${host.url}/api/v1/bots`, { headers: { 'x-api-key': key } });
  return { bots, runs, state, custom, byKey: byKey.status };
}

it('a host takes over the data of every released schema: bots go on, nothing is missing, a copy is kept', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const { bot_id: id } = await deployTiny(host, { name: 'lives', bot: BOT });
  const { bot_id: other } = await deployTiny(host, { name: 'ran', type: 'scheduled', bot: `console.log('ran');` });
  const { run_id } = await call<Run>(host, 'POST', `/api/v1/bots/${other}/run`);
  await until(
    'its end',
    async () => (await call<Run>(host, 'GET', `/api/v1/bots/${other}/runs/${run_id}`)).ended_at !== null,
  );
  const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'mine' });
  await lineUntil(host, id, 'tick 1');
  const { run_id: running } = await call<Bot>(host, 'GET', `/api/v1/bots/${id}`);
  const before = await belongings(host, id, other, key);
  expect(before.byKey).toBe(200);
  await host.kill();
  const control = join(host.dataDir, 'control.db');
  const today = join(host.dataDir, 'today.db');
  const source = new Database(control);
  source.pragma('wal_checkpoint(truncate)');
  source.close();
  copyFileSync(control, today);
  const backups = join(host.dataDir, 'backups');
  const seed = testSeed();
  const random = new SeededRandom(seed);
  const older = MIGRATIONS.slice(0, -1);
  const some = ALL > 1 ? older : [random.pick(older)];
  for (const { version } of some) {
    asOfSchema(version, today, control);
    rmSync(backups, { recursive: true, force: true });
    await host.start();
    expect(await belongings(host, id, other, key), `from schema ${version}, seed ${seed}`).toEqual(before);
    const live = await call<Bot>(host, 'GET', `/api/v1/bots/${id}`);
    expect(live, `from schema ${version}`).toMatchObject({ status: 'running', restarts: 0, run_id: running });
    const seen = (await logsOf(host, id)).at(-1)?.seq ?? 0;
    await until('more lines', async () => ((await logsOf(host, id)).at(-1)?.seq ?? 0) > seen);
    const next = MIGRATIONS.find((one) => one.version > version)?.version;
    const kept = readdirSync(backups).filter((name) => name.startsWith(`control-before-schema-${next}-`));
    expect(kept.length).toBe(1);
    const copy = new Database(join(backups, kept[0] ?? ''), { readonly: true });
    expect(copy.pragma('user_version', { simple: true })).toBe(version);
    expect(copy.prepare('select count(*) from bot').pluck().get()).toBe(2);
    copy.close();
    await host.kill();
  }
  asOfSchema(MIGRATIONS.at(-1)?.version ?? 0, today, control);
  const newer = new Database(control);
  newer.pragma('user_version = 999');
  newer.close();
  const was = readFileSync(control);
  await expect(host.start()).rejects.toThrow(/written by a newer release.*Start the newer release again/);
  expect(readFileSync(control).equals(was)).toBe(true);
  await prove('P9', 'Data of every released schema, with a bot that runs', {
    schemas: some.length,
    'records missing or changed': 0,
  });
});
