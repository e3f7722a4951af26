import { describe, expect, it } from 'vitest';
import type { Bot } from '../../../../../src/contract/bot.ts';
import type { FleetSort } from '../../../../../src/contract/preference-choices.ts';
import { readAddress } from '../../../../../src/renderer/pages/bot/logs/log-filter.ts';
import { fleetRows, lastHourPath, whyOf } from '../../../../../src/renderer/pages/fleet/fleet-rows.ts';
import { botRecord as bot } from '../../../../support/bot-record.ts';

describe('whyOf', () => {
  const told = (status: Bot['status'], enabled: boolean, code: string) =>
    whyOf(bot('a', { status, enabled, reason: { code, message: 'why', hint: null, at: '' } }));
  it('tells why a bot is stopped, unless a person has just stopped it', () => {
    expect(told('stopped', false, 'COPIED')).toBe('why');
    expect(told('stopped', false, 'RESTORED')).toBe('why');
    expect(told('stopped', false, 'UNRECORDED')).toBe('why');
    expect(told('stopped', false, 'DISABLED')).toBeNull();
    expect(told('stopped', true, 'COMPLETED')).toBe('why');
  });
  it('tells why a bot is failing, and of one that runs only what keeps crashing it', () => {
    expect(told('failed', true, 'EXIT_CODE')).toBe('why');
    expect(told('running', true, 'ENGINE_LOST')).toBeNull();
    const looping = { state: 'crash_looping', failures: 3, reason: { code: 'X', message: 'it', hint: null, at: '' } };
    expect(whyOf(bot('a', { health: looping as Bot['health'] }))).toBe('it');
    expect(whyOf(bot('a', { health: { ...looping, state: 'recovering' } as Bot['health'] }))).toBe('it');
  });
});

describe('fleetRows', () => {
  const bots = [
    bot('b10'),
    bot('b2', { status: 'failed' }),
    bot('A', { type: 'scheduled/portfolio', status: 'scheduled' }),
  ];
  const names = (filter: string, text: string) => fleetRows(bots, filter, text).map((one) => one.name);
  it('sorts as people do, and narrows by state and by every word', () => {
    expect(names('all', '')).toEqual(['A', 'b2', 'b10']);
    expect(names('failed', '')).toEqual(['b2']);
    expect(names('all', 'SMA b')).toEqual(['b2', 'b10']);
    expect(names('all', 'portfolio b2')).toEqual([]);
    expect(names('no such filter', '')).toHaveLength(3);
  });
  it('puts them in another order when asked, what is alike by name', () => {
    const sorted = (by: FleetSort, descending: boolean) =>
      fleetRows(bots, 'all', '', { by, descending }).map((one) => one.name);
    expect(sorted('name', true)).toEqual(['b10', 'b2', 'A']);
    expect(sorted('status', false)).toEqual(['b2', 'b10', 'A']);
    expect(sorted('custom_bot', true)).toEqual(['b2', 'b10', 'A']);
    expect(sorted('last_run', true)).toEqual(['A', 'b2', 'b10']);
  });
});

it('the way to the lines of the last hour has its time', () => {
  const now = Date.parse('2026-09-30T12:34:56.789Z');
  const path = lastHourPath('bot_1', 'warn', now);
  expect(path.startsWith('/bots/bot_1/logs?')).toBe(true);
  expect(readAddress(path.slice(path.indexOf('?')))).toMatchObject({ level: 'warn', from: '2026-09-30T11:34:00.000Z' });
});
