import { expect, it } from 'vitest';
import { nextPriceLookAt } from '../../../../../src/renderer/pages/bot/next-price-look.ts';
import { botRecord } from '../../../../support/bot-record.ts';

const overview = (type: string) => ({
  bot_id: 'bot_1',
  types: [
    {
      type,
      count: 1,
      latest: { seq: 1, ts: '2026-01-01T00:00:00.000Z', time: null, type, data: {}, run_id: null },
    },
  ],
  series: [],
});

it('the next look comes a pause after the newest price, of a bot that runs and has a pause', () => {
  const running = botRecord('one', { run_id: 'run_1', effective_config: { update_interval_ms: 30_000 } });
  expect(nextPriceLookAt(running, overview('price'))).toBe(Date.UTC(2026, 0, 1, 0, 0, 30));
  expect(nextPriceLookAt(running, overview('sma'))).toBeNull();
  expect(nextPriceLookAt(running, null)).toBeNull();
  expect(nextPriceLookAt({ ...running, run_id: null }, overview('price'))).toBeNull();
  expect(
    nextPriceLookAt({ ...running, effective_config: { update_interval_ms: 'soon' } }, overview('price')),
  ).toBeNull();
});
