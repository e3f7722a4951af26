import { describe, expect, it } from 'vitest';
import type { BotApproval } from '../../../src/contract/approvals.ts';
import type { BotArming } from '../../../src/contract/arming.ts';
import {
  approvalEffect,
  differenceText,
  differenceWords,
  isOnWaitingPage,
  waitsFor,
  waitsToBeArmed,
} from '../../../src/shared/approval-words.ts';
import { botRecord } from '../../support/bot-record.ts';

describe('a difference in words', () => {
  it.each([
    [{ path: 'config.fast', before: '5', after: '8', hidden: false }, 'config.fast: 5 -> 8'],
    [{ path: 'permit', before: null, after: 'secret: A', hidden: false }, 'permit: secret: A (new)'],
    [{ path: 'config.old', before: '1', after: null, hidden: false }, 'config.old: 1 (removed)'],
    [
      { path: 'config.key', before: '"********"', after: '"********"', hidden: true },
      'config.key: the present value -> another value, which is not shown',
    ],
    [
      { path: 'config.feed', before: '"https://u:********@a"', after: '"https://u:********@b"', hidden: true },
      'config.feed: "https://u:********@a" -> "https://u:********@b"',
    ],
    [
      { path: 'config.at', before: '{"key":"********","usd":5}', after: '{"key":"********","usd":5}', hidden: true },
      'config.at: {"key":"********","usd":5} -> {"key":"********","usd":5}, with another secret, which is not shown',
    ],
    [
      { path: 'config.key', before: '"********"', after: '{"$secret":"B"}', hidden: true },
      'config.key: "********" -> {"$secret":"B"}',
    ],
  ])('%#', (difference, words) => {
    expect(differenceWords(difference)).toBe(words);
  });

  it('is the same on the page, value by value', () => {
    const difference = { path: 'config.at', before: null, after: '{"key":"********"}', hidden: true };
    expect(differenceText(difference)).toEqual({ path: 'config.at', before: 'not there', after: '{"key":"********"}' });
  });
});

describe('what of a bot waits for a person', () => {
  const approval = { status: 'waiting' } as BotApproval;
  const reason = { code: 'NEEDS_ARMING', message: '', hint: null, at: '' };
  const arming = { state: 'unarmed' } as BotArming;
  const armed = { state: 'armed' } as BotArming;
  it.each([
    ['nothing', botRecord('a'), null],
    ['a change', botRecord('a', { approval }), 'approval'],
    ['no change that can only be rejected', botRecord('a', { approval: { ...approval, status: 'outdated' } }), null],
    ['its arming', botRecord('a', { enabled: false, reason, arming }), 'arming'],
    ['none of one that is armed by now', botRecord('a', { enabled: false, reason, arming: armed }), null],
    ['none of one without a live secret by now', botRecord('a', { enabled: false, reason }), null],
    ['a change before its arming', botRecord('a', { approval, enabled: false, reason, arming }), 'approval'],
  ])('%s', (_, bot, expected) => {
    expect(waitsFor(bot)).toBe(expected);
  });

  it('is to be armed also beside a change, and counts for the page also with one that can only be rejected', () => {
    const outdated = { ...approval, status: 'outdated' } as BotApproval;
    expect(waitsToBeArmed(botRecord('a', { approval, reason, arming }))).toBe(true);
    expect(isOnWaitingPage(botRecord('a', { approval: outdated }))).toBe(true);
    expect(isOnWaitingPage(botRecord('a', { reason, arming }))).toBe(true);
    expect(isOnWaitingPage(botRecord('a', { reason, arming: armed }))).toBe(false);
  });
});

it.each([
  ['is armed and runs', 'armed', true, null, /Its arming follows/],
  ['is armed and stopped', 'armed', false, null, /^The bot stays stopped\. Its arming does not follow/],
  ['is stopped by the change', 'armed', true, 'false', /^The bot stops\. Its arming does not follow/],
  ['is started by the change', 'armed', false, 'true', /Its arming follows/],
  ['goes on after its arming', 'expired', true, null, /This arms nothing/],
] as const)('an approval of a bot that %s says what that comes to', (_, state, enabled, after, words) => {
  const change = { path: 'enabled', before: String(enabled), after, hidden: false };
  const bot = botRecord('a', { enabled, arming: { state } as BotArming });
  expect(approvalEffect(bot, after === null ? [] : [change])).toMatch(words);
});
