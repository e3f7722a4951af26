import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import { testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { botUntil, call, deployTiny } from '../support/tiny-bot.ts';

const LISTED = rounds(1000, 10_000);
const RUNNING = rounds(3, 200);
const ASKED = rounds(20, 200);

it(`${LISTED} bots are listed while ${RUNNING} run`, async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished, undefined, null, { PLATFORM_RATE_LIMIT: '100000' });
  const tiny = {
    name: 'one-of-many',
    runtime: 'python311',
    bot: `import time\nprint('up', flush=True)\nwhile True: time.sleep(60)`,
  };
  const { bot_id: id } = await deployTiny(host, tiny, { enabled: false });
  await host.kill();
  const db = new Database(join(host.dataDir, 'control.db'));
  const columns = db.pragma('table_info(bot)') as { name: string }[];
  const others = columns.map(({ name }) => name).filter((name) => name !== 'bot_id' && name !== 'name');
  const copy = db.prepare(
    `insert into bot (bot_id, name, ${others.join()}) select ?, ?, ${others.join()} from bot where bot_id = ?`,
  );
  db.transaction(() => {
    for (let n = 1; n < LISTED; n++) copy.run(`${id.slice(0, -5)}${String(n).padStart(5, '0')}`, `bot ${n}`, id);
  })();
  db.close();
  const from = performance.now();
  await host.start();
  const started = performance.now() - from;
  const { items } = await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots');
  expect(items.length).toBe(LISTED);
  const running = items.slice(0, RUNNING).map((bot) => bot.bot_id);
  for (const one of running) await call(host, 'POST', `/api/v1/bots/${one}/start`);
  for (const one of running) await botUntil(host, one, 'running', (bot) => bot.status === 'running');

  const measure = async (ask: () => Promise<unknown>): Promise<number[]> => {
    const times: number[] = [];
    for (let n = 0; n < ASKED; n++) {
      const begin = performance.now();
      await ask();
      times.push(performance.now() - begin);
    }
    return times.sort((a, b) => a - b);
  };
  const list = await measure(async () => (await host.fetch('/api/v1/bots')).arrayBuffer());
  const one = await measure(() => call(host, 'GET', `/api/v1/bots/${id}`));
  const share = (times: number[], of: number): number => Math.round(times[Math.floor((times.length - 1) * of)] ?? 0);

  await host.kill();
  await host.start();
  const states = (await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items;
  const wrong = states.filter((bot) => bot.status !== (running.includes(bot.bot_id) ? 'running' : 'stopped')).length;
  expect(wrong).toBe(0);
  expect(share(list, 0.5)).toBeLessThan(1000);
  await prove('R16', `${LISTED} bots are listed while ${RUNNING} run`, {
    'start of the host (ms)': Math.round(started),
    'list, median (ms)': share(list, 0.5),
    'list, 99 of 100 (ms)': share(list, 0.99),
    'one bot, 99 of 100 (ms)': share(one, 0.99),
    'wrong after a kill': wrong,
  });
});
