import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Ledger } from '../../src/contract/ledger.ts';
import type { LedgerList } from '../../src/contract/ledger-list.ts';
import { makeKey } from '../support/mcp.ts';
import { ONCE, TestHost } from '../support/platform.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/** The books of all bots in one answer. */
const host = new TestHost();
beforeAll(async () => void (await host.start()));
afterAll(() => host.stop());

const fill = (id: string, side: string, price: string): string =>
  `console.log(${JSON.stringify(
    JSON.stringify({ _metric: 'fill', fill_id: id, symbol: 'AAPL', side, quantity: '2', price, currency: 'USD' }),
  )});`;
const TRADES = `${fill('a', 'BUY', '10.05')}${fill('b', 'SELL', '10.3')}setInterval(() => {}, 60_000);`;
const IDLE = 'setInterval(() => {}, 60_000);';

it('has each bot that has books, for those who may see it', async () => {
  const { bot_id: first } = await deployTiny(host, { name: 'first-trader', bot: TRADES });
  const { bot_id: second } = await deployTiny(host, { name: 'second-trader', bot: TRADES });
  await deployTiny(host, { name: 'no-trader', bot: IDLE });
  const books = (path = ''): Promise<LedgerList> => call(host, 'GET', `/api/v1/ledger${path}`);
  const { items } = await until('both books', async () => {
    const all = await books();
    const sums = all.items.flatMap((one) => one.books.flatMap((book) => book.sums));
    return sums.filter(({ realised }) => realised === '0.5').length === 2 ? all : null;
  });
  expect(items.map(({ bot_id }) => bot_id).sort()).toEqual([first, second].sort());
  const bySymbol = await books('?by=symbol');
  expect(bySymbol.items[0]?.books[0]?.sums[0]).toMatchObject({ symbol: 'AAPL', currency: 'USD', net: '0.5' });
  const before = await books('?by=day&to=2001-01-01');
  expect(before.items.flatMap((one) => one.books.flatMap((book) => book.sums))).toEqual([]);
  const key = await makeKey(host, { scope: 'read', bots: [second] });
  const seen = await fetch(`${host.url}/api/v1/ledger`, { headers: { ...ONCE, 'x-api-key': key } });
  const { items: own } = (await seen.json()) as LedgerList;
  expect(own.map(({ bot_id }) => bot_id)).toEqual([second]);
  const wrong = await host.fetch('/api/v1/ledger?from=2026-02-01&to=2026-01-01');
  expect(wrong.status).toBe(400);
});

it('counts days in the zone that is asked for', async () => {
  const row = { _metric: 'cash_flow', amount: '3', currency: 'CHF', kind: 'interest', time: '2026-03-28T23:30:00Z' };
  const bot = `console.log(${JSON.stringify(JSON.stringify({ ...row, flow_id: 'i' }))});${IDLE}`;
  const { bot_id } = await deployTiny(host, { name: 'night-trader', bot });
  const days = async (zone: string): Promise<unknown> => {
    const { books } = await call<Ledger>(host, 'GET', `/api/v1/bots/${bot_id}/ledger?by=day${zone}`);
    return books[0]?.sums.map(({ day }) => day);
  };
  await until('its interest', async () => JSON.stringify(await days('')) === '["2026-03-28"]');
  expect(await days('&zone=Europe/Berlin')).toEqual(['2026-03-29']);
  expect(await days('&zone=america/new_york')).toEqual(['2026-03-28']);
  expect(await days('&zone=Europe/Berlin&from=2026-03-29&to=2026-03-29')).toEqual(['2026-03-29']);
  expect(await days('&zone=Europe/Berlin&to=2026-03-28')).toEqual([]);
  const { stdout } = await host.cli('ledger', '--bot', 'night-trader', '--by', 'day', '--zone', 'Asia/Kolkata');
  expect(stdout).toContain('2026-03-29');
  for (const path of [`bots/${bot_id}/ledger`, 'ledger', 'ledger/summary']) {
    const answer = await host.fetch(`/api/v1/${path}?zone=Mars/Olympus`);
    expect([path, answer.status, await answer.text()]).toEqual([
      path,
      400,
      expect.stringContaining('\\"Mars/Olympus\\" is not the name of a time zone'),
    ]);
  }
});

it('tells who follows it of books that change, of bots that they may see alone', async () => {
  const { items } = await call<LedgerList>(host, 'GET', '/api/v1/ledger');
  const [first = '', second = ''] = items.map(({ bot_id }) => bot_id);
  const key = await makeKey(host, { scope: 'read', bots: [second] });
  const follow = async (headers: Record<string, string>) => {
    const stream = await fetch(`${host.url}/api/v1/ledger/events`, { headers: { ...ONCE, ...headers } });
    const seen: string[] = [];
    void (async () => {
      for await (const chunk of stream.body ?? []) seen.push(Buffer.from(chunk).toString());
    })().catch(() => undefined);
    return { text: () => seen.join('') };
  };
  const all = await follow({ authorization: `Bearer ${host.token}` });
  const own = await follow({ 'x-api-key': key });
  for (const id of [first, second]) await call(host, 'POST', `/api/v1/bots/${id}/ledger/rebuild`, {});
  await until('both changes', () => [first, second].every((id) => all.text().includes(id)));
  await until('the own change', () => own.text().includes(`{"bot_id":"${second}","booked":true}`));
  expect(own.text()).not.toContain(first);
});

it('is converted by rates that bots wrote in the same mode, and by nothing else', async () => {
  const write = (row: object): string => `console.log(${JSON.stringify(JSON.stringify(row))});`;
  const rate = { _metric: 'rate', base: 'USD', quote: 'EUR', value: '0.9', time: '2026-01-15T00:00:00Z' };
  const price = { _metric: 'price', symbol: 'USD', value: '150', currency: 'JPY' };
  const { bot_id } = await deployTiny(host, { name: 'fx-rates', bot: `${write(rate)}${write(price)}${IDLE}` });
  const { items } = await until('the rate', async () => {
    const list = await call<LedgerList>(host, 'GET', '/api/v1/ledger?in=EUR');
    return list.rate_currencies.length === 0 ? null : list;
  });
  const [first] = items.flatMap(({ books }) => books);
  expect(first?.sums).toMatchObject([{ currency: 'EUR', realised: '0.45' }]);
  expect(first?.conversion).toMatchObject({ rates: [{ bot_id, base: 'USD', value: '0.9' }], missing: [] });
  const { stdout, stderr } = await host.cli('ledger', '--in', 'EUR');
  expect(stdout).toMatch(/EUR +0\.45/);
  expect(stderr).toContain('1 USD = 0.9 EUR, as fx-rates wrote at 2026-01-15');
  const yen = await host.cli('ledger', '--in', 'JPY');
  expect(yen.stdout).toMatch(/USD +0\.5/);
  expect(yen.stderr).toContain('no bot has written a rate between USD and JPY');
});

it('is what the command line shows of all bots', async () => {
  const { stdout } = await host.cli('ledger');
  expect(stdout.split('\n').filter((line) => /-trader .* 0\.5$/.test(line))).toHaveLength(2);
});
