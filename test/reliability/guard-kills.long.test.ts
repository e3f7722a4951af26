import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { BotEvent } from '../../src/contract/bot.ts';
import type { LogEntry } from '../../src/contract/telemetry.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';
import { botUntil, call, deployTiny, getBot, tell } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const ROUNDS = rounds(2, 100);
const BOUND_MS = 2000;

/** Writes 20,000 lines a second, half of them errors, and the equity that a test has it report. Its warnings tell when it did what. */
const TRADER = {
  name: 'trader',
  runtime: 'nodejs24',
  bot: `
import { readdirSync, rmSync } from 'node:fs';
import { equity, log, on_stop } from '@bot-platform/sdk';
on_stop('any', () => log('asked to stop', 'warn'));
const folder = process.env.STATE_DIR;
let n = 0;
setInterval(() => {
  let text = '';
  for (let i = 0; i < 100; i++) text += (i % 2 ? 'ERROR no price ' : 'looked at price ') + n++ + ' of the book\\n';
  process.stdout.write(text);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('loss-')) continue;
    rmSync(folder + '/' + name);
    equity({ value: 1000 });
    equity({ value: 1000 - Number(name.slice(5)) });
    log('reported a loss', 'warn');
  }
}, 5);`,
} as const;

async function warnings(host: TestHost, id: string, search: string): Promise<readonly LogEntry[]> {
  const path = `/api/v1/bots/${id}/logs?limit=1000&level=warn&search=${encodeURIComponent(search)}`;
  return (await call<{ entries: LogEntry[] }>(host, 'GET', path)).entries;
}

it('a guard stops a bot within 2 s under 20,000 lines a second, also after its host was killed', async ({
  onTestFinished,
}) => {
  const seed = testSeed();
  const random = new SeededRandom(seed);
  const host = await testHost(onTestFinished, undefined, null, { PLATFORM_RETENTION_MB: '1000' });
  const { bot_id: id } = await deployTiny(host, TRADER);
  await host.json('guards', 'set', 'trader', 'daily_loss', '100');
  const late: { readonly undisturbed: number[]; readonly killed: number[] } = { undisturbed: [], killed: [] };
  for (let round = 1; round <= ROUNDS * 2; round++) {
    const kills = round % 2 === 0;
    await botUntil(host, id, 'it to run', ({ status }) => status === 'running');
    // What was lost when the bot was started again is known: only more makes the guard fire.
    tell(host, id, `loss-${100 + round}`);
    let ready = 0;
    if (kills) {
      await wait(random.below(200));
      await host.kill();
      await host.start();
      ready = Date.now();
    }
    const asked = await until('the stop', async () => (await warnings(host, id, 'asked to stop'))[round - 1]);
    const reported = (await warnings(host, id, 'reported a loss'))[round - 1];
    const [at, begin] = [Date.parse(asked.ts), Math.max(Date.parse(reported?.ts ?? ''), ready)];
    late[kills ? 'killed' : 'undisturbed'].push(Math.max(0, at - begin));
    const { hold } = await botUntil(host, id, 'its end', ({ status }) => status === 'stopped');
    expect(hold).toMatchObject({ by: 'guard' });
    await call(host, 'POST', `/api/v1/bots/${id}/start`, { release: hold?.hold_id });
  }
  const { items } = await call<{ items: BotEvent[] }>(
    host,
    'GET',
    `/api/v1/bots/${id}/events?kind=guard_fired&limit=500`,
  );
  expect([items.length, (await getBot(host, id)).hold], `seed ${seed}`).toEqual([ROUNDS * 2, null]);
  const figures = {
    'guards that fired': items.length,
    'kills of the host': ROUNDS,
    'latest stop, ms': Math.max(...late.undisturbed),
    'latest stop after a restart, ms': Math.max(...late.killed),
  };
  expect(
    late.undisturbed.concat(late.killed).filter((ms) => ms > BOUND_MS),
    JSON.stringify(late),
  ).toEqual([]);
  await prove('R26', 'A loss is reported among 20,000 lines a second', figures);
});
