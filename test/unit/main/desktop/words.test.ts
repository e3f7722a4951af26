import { describe, expect, it } from 'vitest';
import type { BotEvent, BotStatus, HealthState } from '../../../../src/contract/bot.ts';
import type { KnownBot } from '../../../../src/main/desktop/bot-watch.ts';
import { FailureNotices, noticeText } from '../../../../src/main/desktop/failure-notices.ts';
import { quitQuestion } from '../../../../src/main/desktop/quit-question.ts';
import { actionOf, addressOf, isStatusPage, statusOf, statusPage } from '../../../../src/main/desktop/status-page.ts';
import { trayWords } from '../../../../src/main/desktop/tray-words.ts';
import { updateObstacle } from '../../../../src/main/desktop/update-obstacle.ts';

const bot = (status: BotStatus, name: string = status, state: HealthState = 'ok', failures = 0): KnownBot => ({
  bot_id: `bot_${name}`,
  name,
  status,
  health: { state, failures },
});

describe('quitQuestion', () => {
  it('asks nothing where nothing changes', () => {
    expect(quitQuestion([])).toBeNull();
    expect(quitQuestion([bot('stopped'), bot('failed')])).toBeNull();
  });

  it('counts what runs and what would not run any more', () => {
    expect(quitQuestion([bot('running')])?.message).toBe('Quit Bot Platform? 1 bot runs.');
    expect(quitQuestion([bot('scheduled')])?.message).toBe('Quit Bot Platform? 1 bot is scheduled.');
    const all = [
      bot('running'),
      bot('starting'),
      bot('backing_off'),
      bot('stopping'),
      bot('scheduled'),
      bot('stopped'),
    ];
    expect(quitQuestion([...all, bot('scheduled', 'other')])?.message).toBe(
      'Quit Bot Platform? 4 bots run, 2 bots are scheduled.',
    );
  });

  it('asks while nobody knows which bots run: what runs unseen would be stopped', () => {
    expect(quitQuestion(null)?.message).toBe('Quit Bot Platform? The host has not yet said which bots run.');
  });
});

describe('updateObstacle', () => {
  const host = { url: 'http://127.0.0.1:1', token: 'local_x', pid: 2 };
  const own = { host, isOwn: true };

  it('is whatever would let files be exchanged under a bot that runs, or leaves that unknown', () => {
    expect(updateObstacle(own, [bot('stopped'), bot('scheduled'), bot('failed')])).toBeNull();
    expect(updateObstacle(own, [bot('running'), bot('backing_off')])).toMatch(/no bot runs; 2 do/);
    expect(updateObstacle(own, null)).toMatch(/not yet said/);
    expect(updateObstacle({ host, isOwn: false }, [])).toMatch(/started elsewhere/);
    expect(updateObstacle({ host: null, isOwn: false }, [])).toMatch(/^No host is running/);
  });
});

describe('trayWords', () => {
  it('counts the bots that need somebody as the fleet does, and shows no count of a host that is not there', () => {
    const bots = [
      bot('running'),
      bot('failed'),
      bot('running', 'between crashes', 'crash_looping'),
      bot('running', 'every two minutes', 'recovering', 5),
      bot('backing_off', 'first failure', 'recovering', 1),
      bot('scheduled'),
      bot('scheduled', 'report', 'failing'),
    ];
    const words = trayWords(bots, true);
    expect(words.summary).toBe('3 running, 4 need you');
    expect(words.failing.map(({ name }) => name)).toEqual(['failed', 'between crashes', 'every two minutes', 'report']);
    expect(words.active).toBe(4);
    expect(trayWords([bot('failed')], true).summary).toBe('0 running, 1 needs you');
    expect(trayWords(bots, false)).toMatchObject({ summary: 'No host is running', failing: [], active: 0 });
  });
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

describe('the status page', () => {
  it('shows text as text, and knows its own links alone', () => {
    const page = decodeURIComponent(statusPage({ title: '<b>', text: '</p><script>', actions: ['retry'] }));
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<b>');
    expect(page).toContain("default-src 'none'");
    expect(page).toContain(addressOf('retry'));
    expect(actionOf(addressOf('quit'))).toBe('quit');
    expect(actionOf('https://action.invalid/other')).toBeNull();
    expect(actionOf('https://evil.example/quit')).toBeNull();
    expect(isStatusPage(statusPage({ title: '', text: '', actions: [] }))).toBe(true);
    expect(isStatusPage('http://127.0.0.1:4747/')).toBe(false);
  });

  it('shows commands as they are typed', () => {
    const page = decodeURIComponent(statusPage({ title: '', text: '`platform doctor` & more', actions: [] }));
    expect(page).toContain('<code>npx platform doctor</code> &#38; more');
  });

  it('says what is so, and offers what helps', () => {
    const restarting = statusOf({ at: 'restarting', why: 'code 9', attempt: 2, next_at: REASON.at });
    expect(restarting.text).toMatch(/attempt 2.*Bots that ran go on/s);
    expect(statusOf({ at: 'failed', message: 'The disk is full', hint: 'Free some' })).toMatchObject({
      text: 'The disk is full\n\nFree some',
      actions: ['retry', 'log', 'quit'],
    });
    expect(statusOf({ at: 'away' }).actions).toContain('retry');
    expect(statusOf({ at: 'stopped' }).actions).toContain('retry');
    expect(statusOf({ at: 'starting' }).actions).toEqual([]);
  });
});
