import { expect, it } from 'vitest';
import type { BotEvent } from '../../../../../src/contract/bot.ts';
import { recordDuplicateOrders } from '../../../../../src/main/host/bots/duplicate-orders.ts';
import type { BotRow } from '../../../../../src/main/host/control/bot-store.ts';
import type { DuplicateOrder } from '../../../../../src/main/host/ledger/ledger-writer.ts';

const order = (seq: number): DuplicateOrder => ({
  ...{
    mode: 'live',
    seq,
    at: seq,
    client: `c${seq}`,
    first: 'c0',
    symbol: 'AAPL',
    side: 'BUY',
    decision: 'd',
    leg: null,
  },
});

function setup(isFull = false) {
  const reasons: BotEvent['reason'][] = [];
  const errors: string[] = [];
  const deps = {
    bots: { get: (botId: string) => (botId === 'gone' ? null : ({ botId } as BotRow)) },
    events: { list: () => reasons.map((reason) => ({ reason }) as BotEvent) },
    journal: {
      change: (_: string, __: object, { why }: { why?: BotEvent['reason'] } = {}) => {
        if (isFull) throw new Error('the disk is full');
        reasons.push(why ?? null);
      },
    },
    onError: (where: string) => errors.push(where),
  };
  const record = (orders: readonly DuplicateOrder[], botId = 'bot_1') => recordDuplicateOrders(deps, botId, orders);
  return { reasons, errors, record };
}

it('records one event for the orders that came together, and none when they come again', () => {
  const { record, reasons } = setup();
  expect([record([order(1), order(2), order(3)]), record([order(1), order(2), order(3)]), record([order(4)])]).toEqual([
    ...[true, true, true],
  ]);
  expect(reasons.map((reason) => [reason?.code, reason?.message])).toEqual([
    ['DUPLICATE_ORDER', 'Order c1 repeats c0: BUY AAPL for decision d (live), and 2 more orders like it'],
    ['DUPLICATE_ORDER', 'Order c4 repeats c0: BUY AAPL for decision d (live)'],
  ]);
});

it('wants orders again that could not be recorded, and none of a bot that is gone', () => {
  const { record, errors, reasons } = setup(true);
  expect(record([order(1)])).toBe(false);
  expect(errors).toEqual(['orders of bot_1 that it placed twice']);
  expect(record([order(1)], 'gone')).toBe(true);
  expect(reasons).toEqual([]);
});
