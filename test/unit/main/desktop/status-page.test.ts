import { describe, expect, it } from 'vitest';
import { actionOf, addressOf, isStatusPage, statusOf, statusPage } from '../../../../src/main/desktop/status-page.ts';

const REASON = { code: 'EXIT_CODE', message: 'It ended with exit code 3', hint: null, at: '2026-01-01T00:00:00.000Z' };

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
