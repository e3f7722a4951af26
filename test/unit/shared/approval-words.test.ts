import { describe, expect, it } from 'vitest';
import type { BotApproval } from '../../../src/contract/approvals.ts';
import { differenceWords, waitsFor } from '../../../src/shared/approval-words.ts';
import { botRecord } from '../../support/bot-record.ts';

describe('a difference in words', () => {
  it.each([
    [{ path: 'config.fast', before: '5', after: '8', hidden: false }, 'config.fast: 5 -> 8'],
    [{ path: 'permit', before: null, after: 'secret: A', hidden: false }, 'permit: secret: A (new)'],
    [{ path: 'config.old', before: '1', after: null, hidden: false }, 'config.old: 1 (removed)'],
    [
      { path: 'config.key', before: '"***"', after: '"***"', hidden: true },
      'config.key: another value, which is not shown',
    ],
  ])('%#', (difference, words) => {
    expect(differenceWords(difference)).toBe(words);
  });
});

describe('what of a bot waits for a person', () => {
  const approval = { status: 'waiting' } as BotApproval;
  const reason = { code: 'NEEDS_ARMING', message: '', hint: null, at: '' };
  it.each([
    ['nothing', botRecord('a'), null],
    ['a change', botRecord('a', { approval }), 'approval'],
    ['no change that can only be rejected', botRecord('a', { approval: { ...approval, status: 'outdated' } }), null],
    ['its arming', botRecord('a', { enabled: false, reason }), 'arming'],
    ['a change before its arming', botRecord('a', { approval, enabled: false, reason }), 'approval'],
  ])('%s', (_, bot, expected) => {
    expect(waitsFor(bot)).toBe(expected);
  });
});
