import { describe, expect, it } from 'vitest';
import type { BotEvent, BotStatus } from '../../../../src/contract/bot.ts';
import type { KnownBot } from '../../../../src/main/desktop/bot-watch.ts';
import { FailureNotices, noticeText } from '../../../../src/main/desktop/failure-notices.ts';

const bot = (
  status: BotStatus,
  name: string = status,
  health: KnownBot['health'] = { state: 'ok', failures: 0 },
): KnownBot => ({
  bot_id: `bot_${name}`,
  name,
  status,
  health,
});

const MINUTE = 60_000;

const REASON = { code: 'EXIT_CODE', message: 'It ended with exit code 3', hint: null, at: '2026-01-01T00:00:00.000Z' };

const event = (botId: string, change: Partial<BotEvent>): BotEvent => ({
  event_id: 1,
  bot_id: botId,
  at: REASON.at,
  kind: 'run',
  status: 'backing_off',
  health: 'recovering',
  reason: REASON,
  run_id: 'run_1',
  changes: [],
  ...change,
});

describe('FailureNotices', () => {
  it('tells of a failure by name, once in ten minutes for each bot', () => {
    const notices = new FailureNotices();
    const failed = event('bot_a', {});
    expect(notices.of(failed, { ...bot('running'), name: 'sma' }, 0)).toEqual({
      title: 'sma failed',
      body: REASON.message,
      place: '/bots/bot_a',
    });
    expect(notices.of(failed, null, 9 * MINUTE)).toBeNull();
    expect(notices.of(event('bot_b', {}), null, 9 * MINUTE)?.title).toBe('bot_b failed');
    expect(notices.of(failed, null, 11 * MINUTE)?.title).toBe('bot_a failed');
  });

  it('tells of scheduled runs that fail, and of nothing that is no failure', () => {
    const notices = new FailureNotices();
    const quiet: Partial<BotEvent>[] = [
      { status: 'running', reason: null },
      { kind: 'status', status: 'starting', reason: { ...REASON, code: 'PREPARING' } },
      { kind: 'status', status: 'running', reason: { ...REASON, code: 'ENGINE_LOST' } },
      { status: 'stopped', reason: { ...REASON, code: 'COMPLETED' } },
      { status: 'scheduled', reason: null },
      { kind: 'updated', status: 'failed' },
    ];
    for (const change of quiet) expect([change, notices.of(event('bot_a', change), null, 0)]).toEqual([change, null]);
    expect(notices.of(event('bot_a', { status: 'scheduled' }), null, 0)).not.toBeNull();
    expect(notices.of(event('bot_b', { kind: 'status', status: 'failed' }), null, 0)).not.toBeNull();
  });

  it('is silent about a bot that is muted, which uses up nothing of what others may say', () => {
    const notices = new FailureNotices();
    const muted = new Set(['bot_a']);
    for (let at = 0; at < 5; at += 1) expect(notices.of(event('bot_a', {}), null, at, muted)).toBeNull();
    expect(notices.of(event('bot_b', {}), null, 6, muted)?.title).toBe('bot_b failed');
    expect(notices.of(event('bot_a', {}), null, 7)?.title).toBe('bot_a failed');
  });

  it('says what a bot wrote as text, also where notifications read markup', () => {
    expect(noticeText('<a href="https://evil.example">x</a> & y', 'linux')).not.toContain('<');
    expect(noticeText('a < b & c', 'linux')).toBe('a &lt; b &amp; c');
    expect(noticeText('a < b & c', 'darwin')).toBe('a < b & c');
  });

  it('sums up when many fail at once', () => {
    const notices = new FailureNotices();
    const told = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, at) => notices.of(event(id, {}), null, at)?.title ?? null);
    expect(told).toEqual(['a failed', 'b failed', 'c failed', 'More bots failed', null, null]);
    expect(notices.of(event('g', {}), null, 20_000)?.title).toBe('g failed');
  });
});
