import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFailed } from 'vitest';
import type { Restored } from '../../src/contract/backup.ts';
import type { Bot, Run } from '../../src/contract/bot.ts';
import { pidsUnder, TestHost, testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';
import { tempDir } from '../support/temp.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, publish, runsOf } from '../support/tiny-bot.ts';

const SECRET = 'hunter2-of-the-drill';
const KEEPS = `
import { parse, log, state } from '@bot-platform/sdk';
const { config } = parse();
state.set('seen', { count: (state.get('seen')?.count ?? 0) + 1, mark: config.mark });
log('up ' + config.mark);
setInterval(() => {}, 1000);
`;
const SCHEMA = {
  type: 'object',
  properties: { mark: { type: 'string' }, password: { type: 'string', format: 'password' } },
};
const COUNTS = `import { state } from '@bot-platform/sdk';
state.set('runs', (state.get('runs') ?? 0) + 1);`;

const config = { mark: 'kept', password: SECRET };

/** What must be the same before and after. */
function told({ bot_id, name, type, version, schedule, config: shown, options, engine }: Bot) {
  return { bot_id, name, type, version, schedule, config: shown, options, engine };
}

function stored(dataDir: string): unknown[] {
  const db = new Database(join(dataDir, 'control.db'), { readonly: true });
  const rows = db.prepare('select bot_id, config, options, version from bot order by bot_id').all();
  db.close();
  return rows;
}

/** Every file below a folder with its content. */
function filesIn(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(dir.length), createHash('sha256').update(readFileSync(path)).digest('hex')];
    }),
  );
}

async function fleet(host: TestHost) {
  const realtime = await deployTiny(host, { name: 'keeps', bot: KEEPS, schema: SCHEMA }, { config });
  const stopped = await deployTiny(host, { name: 'stopped', bot: KEEPS, schema: SCHEMA }, { config });
  const scheduled = await deployTiny(
    host,
    { name: 'counts', type: 'scheduled', bot: COUNTS },
    { schedule: '0 0 1 1 *' },
  );
  await lineUntil(host, realtime.bot_id, 'up kept');
  await lineUntil(host, stopped.bot_id, 'up kept');
  await call(host, 'POST', `/api/v1/bots/${stopped.bot_id}/stop`);
  await call<Run>(host, 'POST', `/api/v1/bots/${scheduled.bot_id}/run`);
  await botUntil(host, scheduled.bot_id, 'its run to end', (bot) => bot.last_run?.status === 'succeeded');
  return { realtime, stopped, scheduled };
}

function flipped(whole: Buffer, at: number, bit: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  return bytes;
}

/** One bit in ten changes only how the same content is packed: among many zeros it does not matter which are repeated. */
function isHarmed(bytes: Buffer, whole: Buffer): boolean {
  try {
    return !gunzipSync(bytes).equals(gunzipSync(whole));
  } catch {
    return true;
  }
}

const restore = (host: TestHost, ...args: string[]): Promise<Restored> => host.json('restore', '-y', ...args);

describe.concurrent('a restore', () => {
  it('brings everything back on a fresh folder, and starts nothing by itself', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const { realtime, stopped, scheduled } = await fleet(host);
    const all = [realtime, stopped, scheduled];
    const before = await Promise.all(all.map(async ({ bot_id }) => told(await getBot(host, bot_id))));
    const state = filesIn(join(host.dataDir, 'bots', realtime.bot_id, 'state'));
    const code = filesIn(join(host.dataDir, 'catalog'));
    const rows = stored(host.dataDir);
    const file = join(tempDir('backup-'), 'all.tar.gz');
    const made = await host.json('backup', '--out', file);
    expect(made).toMatchObject({ file, kind: 'full', bots: 3, left_out: [] });
    expect(readFileSync(file).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));

    // A run since the backup, which does not contain it: it must not happen again.
    await host.stop();
    const refused = await host.cli('restore', file);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/Nothing was changed/)]);
    rmSync(host.dataDir, { recursive: true });
    mkdirSync(host.dataDir);
    const restored = await restore(host, file);
    expect(restored).toMatchObject({ aside: null, ended: 0 });
    expect(restored.bots.filter(({ waits }) => waits).map(({ name }) => name)).toEqual(['keeps', 'counts']);
    await host.start();

    const after = await Promise.all(all.map(({ bot_id }) => getBot(host, bot_id)));
    expect(after.map(told)).toEqual(before);
    expect(after.map(({ enabled, status }) => [enabled, status])).toEqual(Array(3).fill([false, 'stopped']));
    expect(after.map(({ reason }) => reason?.code ?? null)).toEqual(['RESTORED', 'DISABLED', 'RESTORED']);
    expect(pidsUnder(host.dataDir)).toEqual([]);
    expect(stored(host.dataDir)).toEqual(rows);
    // Sealed, and as it was.
    expect(JSON.stringify(rows)).toContain('$sealed');
    expect(JSON.stringify(rows)).not.toContain(SECRET);
    expect(filesIn(join(host.dataDir, 'bots', realtime.bot_id, 'state'))).toEqual(state);
    expect(filesIn(join(host.dataDir, 'catalog'))).toEqual(code);
    expect((await runsOf(host, realtime.bot_id)).map(({ status }) => status)).toEqual(['lost']);
    expect((await runsOf(host, scheduled.bot_id)).map(({ status }) => status)).toEqual(['succeeded']);

    expect(await call(host, 'GET', `/api/v1/bots/${realtime.bot_id}/diagnosis`)).toMatchObject({ failure: null });
    const said = (await host.cli('bot', 'diagnose', realtime.bot_id)).stdout;
    expect(said).toContain('It was enabled when the backup was made');
    expect(said).toContain('Look at its configuration and state, then start it.');
    const [lost] = await runsOf(host, realtime.bot_id);
    const ended = (await host.cli('bot', 'diagnose', realtime.bot_id, '--run', lost?.run_id ?? '')).stdout;
    expect(ended).toContain('It was running when the backup was made; its outcome is unknown');
    expect(ended).not.toMatch(/exit|stderr|null/);
    expect((await host.json('bot', 'runs', realtime.bot_id, '--failures')).failed).toBe(0);

    await call(host, 'POST', `/api/v1/bots/${scheduled.bot_id}/start`);
    await call(host, 'POST', `/api/v1/bots/${realtime.bot_id}/start`);
    await lineUntil(host, realtime.bot_id, 'up kept');
    const seen = await call<{ value: unknown }>(host, 'GET', `/api/v1/bots/${realtime.bot_id}/state/seen`);
    expect(seen.value).toEqual({ count: 2, mark: 'kept' });
    expect((await getBot(host, scheduled.bot_id)).status).toBe('scheduled');
    expect((await runsOf(host, scheduled.bot_id)).length).toBe(1);
    await prove(
      'R5',
      'restore drill',
      {
        bots: 3,
        'files of state': Object.keys(state).length,
        'files of code': Object.keys(code).length,
      },
      'R5-restore',
    );
  });

  it('moves aside what is there, ends what still runs, and goes back', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const bot = await deployTiny(host, { name: 'keeps', bot: KEEPS, schema: SCHEMA }, { config });
    await lineUntil(host, bot.bot_id, 'up kept');
    const { file } = await host.json('backup');
    const running = await host.cli('restore', '-y', file);
    expect([running.code, running.stderr]).toEqual([5, expect.stringContaining('code HOST_RUNNING')]);
    const later = await deployTiny(host, { name: 'later', bot: KEEPS, schema: SCHEMA }, { config: { mark: 'later' } });
    await lineUntil(host, later.bot_id, 'up later');
    await host.kill();
    expect(pidsUnder(host.dataDir).length).toBeGreaterThan(0);

    const restored = await restore(host, file, '--start-bots');
    expect(restored.ended).toBeGreaterThan(0);
    expect(pidsUnder(host.dataDir)).toEqual([]);
    await host.start();
    expect((await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items.map(({ name }) => name)).toEqual([
      'keeps',
    ]);
    // As it ran then; its lines of before the backup are still there.
    await botUntil(host, bot.bot_id, 'running', ({ status }) => status === 'running');
    await lineUntil(host, bot.bot_id, 'up kept');
    await host.stop();

    await restore(host, restored.aside ?? '');
    await host.start();
    const { items } = await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots');
    expect(items.map(({ name, status }) => [name, status])).toEqual([
      ['keeps', 'stopped'],
      ['later', 'stopped'],
    ]);
    await lineUntil(host, later.bot_id, 'up later');
  });

  it('of the control database alone loses no code and no state', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const bot = await deployTiny(host, { name: 'keeps', bot: KEEPS, schema: SCHEMA }, { config });
    await lineUntil(host, bot.bot_id, 'up kept');
    await host.stop();
    const copy = join(host.dataDir, 'backups/control-daily-2026-01-02.db');
    const db = new Database(join(host.dataDir, 'control.db'), { readonly: true });
    db.prepare('vacuum into ?').run(copy);
    db.close();
    await host.start();
    expect((await publish(host, { name: 'newer', bot: KEEPS, schema: SCHEMA })).ok).toBe(true);
    await host.stop();
    writeFileSync(join(host.dataDir, 'control.db'), 'not a database');
    for (const suffix of ['-wal', '-shm']) rmSync(join(host.dataDir, `control.db${suffix}`), { force: true });
    const said = await host.cli('serve', '--port', '0');
    expect(said.stderr).toContain(copy);
    const restored = await restore(host, copy);
    await host.start();
    expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'stopped', reason: { code: 'RESTORED' } });
    expect((await call<{ value: unknown }>(host, 'GET', `/api/v1/bots/${bot.bot_id}/state/seen`)).value).toMatchObject({
      mark: 'kept',
    });
    const aside = restored.aside ?? '';
    expect(readFileSync(join(aside, 'control.db'), 'utf8')).toBe('not a database');
    expect(Object.keys(filesIn(join(aside, 'catalog'))).some((path) => path.includes('/newer/1.0.0/'))).toBe(true);
  });

  it('of a backup that is damaged changes nothing', async ({ onTestFinished }) => {
    const seed = testSeed();
    onTestFailed(() => console.error(`TEST_SEED=${seed}`));
    const random = new SeededRandom(seed);
    const host = new TestHost();
    onTestFinished(() => host.stop(), 180_000);
    await host.start();
    await deployTiny(host, { name: 'counts', type: 'scheduled', bot: COUNTS });
    const { file } = await host.json('backup');
    await host.stop();
    const whole = readFileSync(file);
    const before = filesIn(host.dataDir);
    const harmed = join(tempDir('harmed-'), 'harmed.tar.gz');
    const figures = { rounds: 0, refused: 0 };
    for (let round = 0; round < rounds(2, 40); round++) {
      const cut = round % 2 === 0;
      let at: number;
      let bytes: Buffer;
      do {
        at = 20 + random.below(whole.length - 40);
        bytes = cut ? whole.subarray(0, at) : flipped(whole, at, random.below(8));
      } while (!isHarmed(bytes, whole));
      writeFileSync(harmed, bytes);
      const result = await host.cli('restore', '-y', harmed, '--json');
      expect([cut ? 'cut' : 'bit', at, result.code]).toEqual([cut ? 'cut' : 'bit', at, 1]);
      expect(JSON.parse(result.stderr).error.code).toBe('DATA_DAMAGED');
      expect(filesIn(host.dataDir)).toEqual(before);
      figures.rounds += 1;
      figures.refused += 1;
    }
    await prove('R5', 'restore of a damaged backup', figures, 'R5-damaged-backup');
  });

  it('that was cut short starts nothing, and is done by doing it again', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const bot = await deployTiny(host, { name: 'keeps', bot: KEEPS, schema: SCHEMA }, { config });
    await lineUntil(host, bot.bot_id, 'up kept');
    const { file } = await host.json('backup');
    await host.stop();
    // As a power cut leaves it after the first moves.
    const aside = join(host.dataDir, 'set-aside/before-restore-1');
    mkdirSync(aside, { recursive: true });
    for (const name of ['control.db', 'bots']) renameSync(join(host.dataDir, name), join(aside, name));
    cpSync(join(aside, 'bots'), join(host.dataDir, 'restoring-1/bots'), { recursive: true });
    const said = await host.cli('serve', '--port', '0', '--json');
    expect(JSON.parse(said.stderr).error).toMatchObject({ code: 'DATA_DAMAGED', hint: expect.stringContaining(file) });
    await restore(host, file);
    await host.start();
    expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'stopped', reason: { code: 'RESTORED' } });
    expect(existsSync(join(host.dataDir, 'restoring-1'))).toBe(false);
    expect(existsSync(join(aside, 'control.db'))).toBe(true);
  });
});
