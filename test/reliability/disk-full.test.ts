import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Storage } from '../../src/contract/storage-settings.ts';
import { HostHere } from '../support/host-here.ts';
import { logRows } from '../support/log-files.ts';
import { prove } from '../support/proof.ts';
import { mountTmpfs } from '../support/small-disk.ts';
import { call, deployTiny, getBot, lineUntil, logsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const MB = 1024 * 1024;

/** Writes numbered lines of 1 kB, 1.6 MB a second, until it is told to end. */
const WRITES = `
import { existsSync } from 'node:fs';
let next = 0;
const timer = setInterval(() => {
  for (let i = 0; i < 80; i++) console.log('line ' + next++ + ' ' + 'x'.repeat(1000));
  if (!existsSync(process.env.STATE_DIR + '/../end')) return;
  clearInterval(timer);
  console.log('wrote ' + next);
  setInterval(() => {}, 1000);
}, 50);`;

const storage = (host: HostHere): Promise<Storage> => call(host, 'GET', '/api/v1/host/storage');

describe.runIf(process.platform === 'linux')('R3: a full disk', () => {
  it('loses no line and no change, and goes on by itself', async ({ onTestFinished, skip }) => {
    const disk = mountTmpfs(32);
    if (disk === null) return skip('only root may mount a small disk here');
    onTestFinished(() => disk.unmount(), 180_000);
    const filler = join(disk.dir, 'filler');
    writeFileSync(filler, Buffer.alloc(10 * MB));
    writeFileSync(join(disk.dir, 'settings.json'), JSON.stringify({ min_free_mb: 8 }));
    const host = new HostHere(disk.dir);
    onTestFinished(() => host.stop(), 180_000);
    await host.start();
    const quiet = await deployTiny(host, { name: 'quiet', bot: `console.log('up'); setInterval(() => {}, 1000);` });
    const bot = await deployTiny(host, { name: 'writes', bot: WRITES });
    await lineUntil(host, bot.bot_id, 'line 100 ');
    expect(await storage(host)).toMatchObject({ low: false, min_free_mb: 8 });

    // The line is crossed: nothing more is stored, and the bot that writes is paused before the disk is full.
    await until('space to run short', async () => (await storage(host)).low);
    const warned = await lineUntil(host, bot.bot_id, 'lines wait in their files');
    expect(warned).toMatchObject({ level: 'warn', source: 'host' });
    await lineUntil(host, bot.bot_id, 'Paused: ');
    const { bavail, bsize } = statfsSync(disk.dir);
    expect(bavail * bsize).toBeGreaterThan(2 * MB);
    expect(await getBot(host, quiet.bot_id)).toMatchObject({ status: 'running', restarts: 0 });

    // Not even that is left: a change is refused with a code, reads go on.
    const ballast = join(disk.dir, 'ballast');
    expect(() => writeFileSync(ballast, Buffer.alloc(32 * MB))).toThrow(/ENOSPC/);
    const { config_of_then, refused } = await refusals(host, quiet.bot_id);
    expect(refused).toEqual([507, 'STORAGE_FULL']);
    expect((await getBot(host, quiet.bot_id)).config).toEqual(config_of_then);
    expect((await logsOf(host, bot.bot_id)).length).toBeGreaterThan(100);

    rmSync(ballast);
    rmSync(filler);
    await call(host, 'PATCH', '/api/v1/host/storage', { min_free_mb: 1 });
    await until('space to be there again', async () => !(await storage(host)).low);
    writeFileSync(join(disk.dir, 'bots', bot.bot_id, 'state/end'), '');
    const last = await lineUntil(host, bot.bot_id, 'wrote ');
    const wrote = Number(last.message.slice('wrote '.length));
    expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'running', restarts: 0 });
    await host.stop();

    const sql = "select line from log where line glob 'line [0-9]*' order by seq";
    const lines = [...logRows<{ line: string }>(disk.dir, bot.bot_id, sql)];
    for (const { integrity_check } of logRows<{ integrity_check: string }>(
      disk.dir,
      bot.bot_id,
      'pragma integrity_check',
    )) {
      expect(integrity_check).toBe('ok');
    }
    const control = new Database(join(disk.dir, 'control.db'), { readonly: true });
    expect(control.pragma('integrity_check', { simple: true })).toBe('ok');
    control.close();
    const numbers = lines.map(({ line }) => Number(line.split(' ')[1]));
    const figures = { wrote, lost: wrote - new Set(numbers).size, doubled: numbers.length - new Set(numbers).size };
    expect(figures).toEqual({ wrote, lost: 0, doubled: 0 });
    await prove('R3', 'disk full', figures);
  });
});

/** A change that finds the disk full, however much of the last page of the journal is left. */
async function refusals(host: HostHere, botId: string) {
  let config_of_then = (await getBot(host, botId)).config;
  for (let attempt = 0; attempt < 200; attempt++) {
    const config = { attempt, filler: 'x'.repeat(20_000) };
    const answer = await host.fetch(`/api/v1/bots/${botId}`, { method: 'PATCH', body: JSON.stringify({ config }) });
    const body = (await answer.json()) as { error?: { code: string } };
    if (!answer.ok) return { config_of_then, refused: [answer.status, body.error?.code] };
    config_of_then = config;
  }
  throw new Error('no change found the disk full');
}
