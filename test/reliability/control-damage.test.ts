import { copyFileSync, existsSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFailed } from 'vitest';
import { PlatformError } from '../../src/contract/errors.ts';
import { DAMAGES, damage } from '../support/damage.ts';
import { HostHere } from '../support/host-here.ts';
import { logFiles } from '../support/log-files.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';
import { tempDir } from '../support/temp.ts';
import { deployTiny, lineUntil } from '../support/tiny-bot.ts';

const UP = { name: 'steady', bot: `console.log('up'); setInterval(() => {}, 1000);` };

/** The users' data in a control database, as text; a starting host changes none of it. */
function contentOf(file: string): string {
  const db = new Database(file, { readonly: true });
  const all = (sql: string): unknown[] => db.prepare(sql).all();
  try {
    const bots = all('select bot_id, user_id, name, custom_bot, version, schedule, config, options, enabled from bot');
    return JSON.stringify([all('select * from user'), all('select * from custom_bot_version'), bots]);
  } finally {
    db.close();
  }
}

/** Copies a control database as the host does each day. */
function copyInto(from: string, to: string): void {
  const db = new Database(from, { readonly: true });
  db.prepare('vacuum into ?').run(to);
  db.close();
}

async function refusal(host: HostHere): Promise<PlatformError> {
  const thrown = await host.start().then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof PlatformError) return thrown;
  throw new Error(`the host ${thrown === null ? 'started' : `failed with ${String(thrown)}`}`);
}

describe('R5: a damaged control database', () => {
  it('starts no bot on a guess, and names the backup that is good', async ({ onTestFinished }) => {
    const seed = testSeed();
    onTestFailed(() => console.error(`TEST_SEED=${seed}`));
    const random = new SeededRandom(seed);
    const host = new HostHere();
    onTestFinished(() => host.stop(), 180_000);
    await host.start();
    const bot = await deployTiny(host, UP);
    await lineUntil(host, bot.bot_id, 'up');
    await host.stop();

    const control = join(host.dataDir, 'control.db');
    const whole = join(tempDir(), 'whole.db');
    copyFileSync(control, whole);
    const content = contentOf(whole);
    const folders = () => readdirSync(host.dataDir, { recursive: true, encoding: 'utf8' }).sort();
    const backup = join(host.dataDir, 'backups/control-daily-2026-01-02.db');
    // A newer backup that is damaged itself must not be recommended.
    const newer = join(host.dataDir, 'backups/control-daily-2026-01-03.db');
    copyInto(whole, backup);
    copyInto(whole, newer);
    truncateSync(newer, 5000);

    expect(content).toContain(bot.bot_id);
    const figures = { rounds: 0, refused: 0, unharmed: 0 };
    for (let round = 0; round < rounds(3, 60); round++) {
      for (const kind of DAMAGES) {
        figures.rounds += 1;
        const where = damage(control, kind, random);
        const before = folders();
        const thrown = await host.start().then(
          () => null,
          (error: unknown) => error,
        );
        if (thrown === null) {
          // SQLite keeps no checksums: what its check does not see must have been a place that nothing stands in.
          await host.stop();
          expect(contentOf(control), where).toBe(content);
          figures.unharmed += 1;
        } else {
          if (!(thrown instanceof PlatformError)) throw thrown;
          expect([where, thrown.code]).toEqual([where, 'DATA_DAMAGED']);
          expect(thrown.hint).toContain(`platform restore "${backup}" --data "${host.dataDir}"`);
          expect(folders()).toEqual(before);
          figures.refused += 1;
        }
        for (const suffix of ['', '-wal', '-shm']) rmSync(`${control}${suffix}`, { force: true });
        copyFileSync(whole, control);
      }
    }
    await prove('R5', 'control database damaged', figures);
  });

  it('that is gone from a folder with bots is not made anew', async ({ onTestFinished }) => {
    const host = new HostHere();
    onTestFinished(() => host.stop(), 180_000);
    await host.start();
    const bot = await deployTiny(host, UP);
    await host.stop();
    const control = join(host.dataDir, 'control.db');
    rmSync(control);
    const gone = await refusal(host);
    expect(gone.code).toBe('DATA_DAMAGED');
    expect(gone.message).toMatch(/missing, but bots\/ holds the folders of 1 bots/);
    expect(gone.hint).toMatch(/no good backup/);
    expect(existsSync(control)).toBe(false);
    expect(logFiles(host.dataDir, bot.bot_id)).toHaveLength(1);
  });
});
