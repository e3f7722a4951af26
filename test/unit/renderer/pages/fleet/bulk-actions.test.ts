import { describe, expect, it } from 'vitest';
import {
  BULK,
  type BulkAction,
  needsConfirmation,
  undoOf,
} from '../../../../../src/renderer/pages/fleet/bulk-actions.ts';
import { botRecord as bot } from '../../../../support/bot-record.ts';

describe('undoOf', () => {
  const bots = [bot('well'), bot('broken', { status: 'failed' }), bot('off', { enabled: false, status: 'stopped' })];
  const back = (action: BulkAction) => {
    const way = undoOf(action, bots);
    return way === null ? null : [way.action, ...way.bots.map((one) => one.name)];
  };
  it('sets to work again only what was at work, and ends only what was not', () => {
    expect(back('stop')).toEqual(['start', 'well', 'off']);
    expect(back('start')).toEqual(['stop', 'off']);
    expect(back('restart')).toBeNull();
  });
});

it('bulk actions take only the bots that they fit', () => {
  const stopped = bot('s', { enabled: false, status: 'stopped' });
  const failed = bot('f', { status: 'failed' });
  const scheduled = bot('p', { type: 'scheduled/x', status: 'scheduled' });
  const applicable = (action: keyof typeof BULK) =>
    [bot('r'), stopped, failed, scheduled].filter(BULK[action].applies).map((one) => one.name);
  expect(applicable('start')).toEqual(['s', 'f']);
  expect(applicable('stop')).toEqual(['r', 'f', 'p']);
  expect(applicable('restart')).toEqual(['r', 'f']);
});

it('many bots at once need a yes', () => {
  expect([1, 10, 11].map(needsConfirmation)).toEqual([false, false, true]);
});
