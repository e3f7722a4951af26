import { expect, it } from 'vitest';
import { makeKey, secondUser } from '../support/mcp.ts';
import { testHost } from '../support/platform.ts';
import { readPrometheusText } from '../support/prometheus-text.ts';
import { call, deployTiny, lineUntil } from '../support/tiny-bot.ts';

it('shows a key of read scope the metrics of its bots, and nobody else anything', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const name = 'up "and"\\ running {}';
  const bot = await deployTiny(
    host,
    { name: 'talker', bot: 'console.log("up"); setInterval(() => {}, 1000);' },
    { name },
  );
  await lineUntil(host, bot.bot_id, 'up');
  const scrape = (key: string | null, method = 'GET') =>
    fetch(`${host.url}/metrics`, { method, headers: key === null ? {} : { authorization: `Bearer ${key}` } });

  const answer = await scrape(await makeKey(host, { scope: 'read' }));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const samples = readPrometheusText(await answer.text());
  const of = (metric: string) => samples.filter((one) => one.name === metric);
  expect(of('platform_bot_up')).toEqual([
    { name: 'platform_bot_up', labels: { bot_id: bot.bot_id, bot: name }, value: 1 },
  ]);
  expect(of('platform_bot_memory_bytes')[0]?.value).toBeGreaterThan(1_000_000);
  expect(of('platform_bot_lines_total').find(({ labels }) => labels.level === 'info')?.value).toBe(1);
  expect(of('platform_scrape_incomplete_bots')[0]?.value).toBe(0);
  const age = Date.now() / 1000 - (of('platform_bot_last_line_time_seconds')[0]?.value ?? 0);
  expect(age).toBeGreaterThan(-1);
  expect(age).toBeLessThan(600);

  for (const [key, status] of [
    [null, 401],
    ['plat_wrong', 401],
  ] as const) {
    const refused = await scrape(key);
    expect(refused.status).toBe(status);
    expect(await refused.text()).not.toContain(bot.bot_id);
  }
  expect((await scrape(await makeKey(host), 'POST')).status).toBe(405);
  const stranger = await scrape(await makeKey(host, { scope: 'read' }, await secondUser(host)));
  expect(await stranger.text()).not.toContain(bot.bot_id);
  const other = await deployTiny(host, { name: 'other', bot: 'setInterval(() => {}, 1000);' });
  const narrow = await (await scrape(await makeKey(host, { scope: 'read', bots: [other.bot_id] }))).text();
  expect([narrow.includes(other.bot_id), narrow.includes(bot.bot_id)]).toEqual([true, false]);
  await call(host, 'DELETE', `/api/v1/bots/${bot.bot_id}`);
});
