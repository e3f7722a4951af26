import { expect, it } from 'vitest';
import type { BotEvent } from '../../src/contract/bot.ts';
import type { BotWithLedger, LedgerEquity, LedgerOrders, LedgerSummaries } from '../../src/contract/ledger.ts';
import { testHost } from '../support/platform.ts';
import { botUntil, call, deployTiny } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/** Trades once, writes everything again at each start, and places one order a second time. */
const DESK = {
  name: 'desk',
  runtime: 'nodejs24',
  schema: { type: 'object' },
  modes: ['paper', 'live'],
  bot: `
const write = (_metric, fields) => console.log(JSON.stringify({ _metric, ...fields }));
const order = { client_order_id: 'o-1', symbol: 'AAPL', side: 'BUY', quantity: '2', decision_id: 'd-1', time: '2026-01-15T10:00:00Z' };
write('order', { ...order, status: 'new' });
write('order', { ...order, status: 'filled', time: '2026-01-15T10:00:01Z' });
write('order', { ...order, client_order_id: 'o-2', status: 'new', time: '2026-01-15T10:00:02Z' });
write('fill', { fill_id: 'f-1', symbol: 'AAPL', side: 'BUY', quantity: '2', price: '210.5', currency: 'USD' });
write('price', { symbol: 'AAPL', value: '211.75' });
write('position', { symbol: 'AAPL', quantity: '3' });
write('equity', { value: '1002.5', currency: 'USD' });
write('signal', { type: 'BUY', symbol: 'AAPL', price: 211.75 });
setInterval(() => {}, 1000);`,
};

it('shows orders, equity and unrealised profit, and tells once of an order that was placed twice', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const { bot_id: id } = await deployTiny(host, DESK);
  const path = `/api/v1/bots/${id}`;
  const duplicates = async (): Promise<BotEvent[]> =>
    (await call<{ items: BotEvent[] }>(host, 'GET', `${path}/events?kind=duplicate_order`)).items;
  await until('the event of an order that was placed twice', async () => (await duplicates()).length > 0);
  const { ledger } = await until('the last row', async () => {
    const bot = await call<BotWithLedger>(host, 'GET', path);
    return bot.ledger?.[0]?.last_signal == null ? null : bot;
  });
  expect(ledger).toMatchObject([
    {
      mode: 'paper',
      open_positions: 1,
      unrealised: [{ currency: 'USD', amount: '2.5', complete: true }],
      equity: [{ value: '1002.5', currency: 'USD' }],
      last_fill: { symbol: 'AAPL', side: 'BUY', price: '210.5' },
      last_signal: { side: 'BUY', symbol: 'AAPL' },
      signals_today: 1,
      problems: 0,
    },
  ]);
  expect((await call<LedgerSummaries>(host, 'GET', '/api/v1/ledger/summary')).items).toEqual([{ bot_id: id, ledger }]);

  await host.kill();
  await host.start();
  await botUntil(host, id, 'its program', ({ status }) => status === 'running');
  await call(host, 'POST', `${path}/restart`);
  await until('the rows that it writes again', async () => {
    const bot = await call<BotWithLedger>(host, 'GET', path);
    return (bot.ledger?.[0]?.signals_today ?? 0) >= 2;
  });
  const { orders } = await call<LedgerOrders>(host, 'GET', `${path}/ledger/orders`);
  expect(orders.map((one) => [one.client_order_id, one.status, one.duplicate_of, one.history.length])).toEqual([
    ['o-2', 'new', 'o-1', 1],
    ['o-1', 'filled', null, 2],
  ]);
  expect((await duplicates()).map(({ reason }) => reason?.message)).toEqual([
    'Order o-2 repeats o-1: BUY AAPL for decision d-1 (paper)',
  ]);
  const { items: alarms } = await host.json('alarms', 'log', 'desk');
  expect(alarms.map(({ event }: { event: string }) => event)).toEqual(['duplicate_order']);
  const { curves } = await call<LedgerEquity>(host, 'GET', `${path}/ledger/equity`);
  expect(curves).toMatchObject([{ currency: 'USD', mode: 'paper' }]);
  const { stdout } = await host.cli('ledger', 'positions');
  expect(stdout).toContain('the bot says 3, its fills say 2');
  expect((await host.cli('ledger', 'orders', '--open')).stdout).not.toContain('o-1 ');
});
