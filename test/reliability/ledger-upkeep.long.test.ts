import { expect, it } from 'vitest';
import type { AuditEntry } from '../../src/contract/account.ts';
import type { Ledger } from '../../src/contract/ledger.ts';
import type { LedgerConflicts, LedgerRebuilt } from '../../src/contract/ledger-upkeep.ts';
import type { LEDGER_FAULT_POINTS } from '../../src/node/fault-point.ts';
import { Fault } from '../support/fault.ts';
import { makeKey } from '../support/mcp.ts';
import { ONCE, type TestHost, testHost } from '../support/platform.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const fill = (id: string, side: string, price: string): string =>
  `console.log(${JSON.stringify(
    JSON.stringify({ _metric: 'fill', fill_id: id, symbol: 'AAPL', side, quantity: '1', price, currency: 'USD' }),
  )});`;

/** Writes its fills once in its life: what comes back after a restart of the host is what the ledger has. */
const BOT = {
  name: 'booked',
  bot: `${fill('a', 'BUY', '10')}${fill('b', 'BUY', '14')}${fill('c', 'SELL', '20')}${fill('a', 'BUY', '11')}
setInterval(() => {}, 60_000);`,
};

const ledgerOf = (host: TestHost, id: string) => call<Ledger>(host, 'GET', `/api/v1/bots/${id}/ledger`);
const booked = (host: TestHost, id: string) =>
  until('its rows', async () => {
    const ledger = await ledgerOf(host, id);
    return ledger.books[0]?.conflicts === 1 ? ledger : null;
  });

it('leaves the old or the new books, and says who asked, wherever the host is killed', async ({ onTestFinished }) => {
  const fault = new Fault();
  const host = await testHost(onTestFinished, undefined, null, fault.env);
  const { bot_id: id } = await deployTiny(host, BOT);
  const before = await booked(host, id);
  const path = `/api/v1/bots/${id}/ledger`;
  const die = async (point: (typeof LEDGER_FAULT_POINTS)[number], work: () => Promise<unknown>): Promise<void> => {
    fault.set(point);
    await expect(work()).rejects.toThrow();
    fault.set(null);
    await host.start();
  };
  for (const point of ['ledger:emptied', 'ledger:rebuilt'] as const) {
    await die(point, () => call(host, 'POST', `${path}/rebuild`, {}));
    expect(await ledgerOf(host, id)).toEqual(before);
    await die(point, () => call(host, 'PUT', `${path}/method`, { method: 'average' }));
    expect(await ledgerOf(host, id)).toEqual(before);
  }
  await die('ledger:erased', () => call(host, 'DELETE', path));
  expect(await ledgerOf(host, id)).toEqual(before);
  await die('ledger:gone', () => call(host, 'DELETE', path));
  expect(await ledgerOf(host, id)).toMatchObject({ books: [], erased: { rows: 4 } });
  const { items } = await call<{ items: AuditEntry[] }>(host, 'GET', '/api/v1/audit');
  const asked = items.filter(({ operation }) => operation === 'ledger.erase');
  expect(asked.map(({ outcome, deed, target }) => [outcome, deed, target])).toEqual([
    ['asked', 'asked to erase the ledger of bot booked', id],
    ['asked', 'asked to erase the ledger of bot booked', id],
  ]);
});

it('is shown, changed and erased from the command line, and erased by no key', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const { bot_id: id } = await deployTiny(host, BOT);
  await booked(host, id);
  const { conflicts } = await call<LedgerConflicts>(host, 'GET', `/api/v1/bots/${id}/ledger/conflicts`);
  expect(conflicts).toMatchObject([{ id: 'a', fields: ['price'], mode: 'unverified' }]);
  expect(conflicts[0]?.counts.row).toContain('"price":"10"');
  expect((await host.cli('ledger', 'conflicts')).stdout).toMatch(/fill +a +AAPL +price/);
  const changed: LedgerRebuilt = await host.json('ledger', 'method', 'booked', 'average');
  expect(changed).toEqual({ bot_id: id, method: 'average', rows: 4, added: 0, changed_days: 1 });
  expect((await ledgerOf(host, id)).books[0]).toMatchObject({ method: 'average', sums: [{ realised: '8' }] });
  expect((await host.cli('ledger', 'rebuild', 'booked', '--from', '2026-01-01')).stdout).toContain(
    'No sum has changed.',
  );
  const key = await makeKey(host, { scope: 'full' });
  const refused = await fetch(`${host.url}/api/v1/bots/${id}/ledger`, {
    method: 'DELETE',
    headers: { ...ONCE, 'x-api-key': key },
  });
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ error: { code: 'SESSION_REQUIRED' } });
  expect((await host.cli('ledger', 'erase', 'booked')).code).toBe(2);
  expect((await host.cli('ledger', 'erase', 'booked', '-y')).stdout).toContain('Erased the ledger of booked: 4 rows.');
  expect((await ledgerOf(host, id)).books).toEqual([]);
  const { items } = await call<{ items: AuditEntry[] }>(host, 'GET', '/api/v1/audit');
  expect(items.filter(({ operation }) => operation === 'ledger.erase').map(({ outcome }) => outcome)).toEqual([
    ...['ok', 'asked'],
    'SESSION_REQUIRED',
  ]);
});
