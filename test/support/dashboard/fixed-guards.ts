import type { Guard } from '../../../src/contract/guards.ts';
import { FIXED_NAMES } from './places.ts';

const BASE = {
  bot_id: FIXED_NAMES.well,
  symbol: null,
  zone: 'UTC',
  fail_closed_min: null,
  state: 'ok',
  fired_at: null,
} as const;

export const GUARDS: readonly Guard[] = [
  {
    ...BASE,
    guard_id: 'grd_1',
    kind: 'daily_loss',
    limit: '250',
    unit: 'currency',
    action: 'stop',
    value: '35.5',
    sentence:
      'Stops and holds the bot when the equity has fallen by so much since the day began: 250 in its currency. The day begins in UTC.',
  },
  {
    ...BASE,
    guard_id: 'grd_2',
    kind: 'orders_per_minute',
    limit: '20',
    unit: 'count',
    action: 'alarm',
    value: '3',
    sentence: 'Tells you when so many orders are sent within a minute: 20.',
  },
];
