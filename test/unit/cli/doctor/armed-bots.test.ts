import { expect, it } from 'vitest';
import { checkArmed } from '../../../../src/cli/doctor/armed-bots.ts';
import type { BotArming } from '../../../../src/contract/arming.ts';
import type { Bot } from '../../../../src/contract/bot.ts';

const bot = (name: string, state: BotArming['state'] | null, over: Partial<Bot & { for_review: boolean }> = {}): Bot =>
  ({
    name,
    enabled: true,
    reason: null,
    arming: state === null ? null : { state, for_review: over.for_review ?? false },
    ...over,
  }) as unknown as Bot;

const waits = { code: 'NEEDS_ARMING', message: '', hint: null, at: '' };

it.each([
  ['says nothing where no bot has a live secret', [bot('paper', null)], []],
  ['names the bots that trade live', [bot('a', 'armed'), bot('b', 'armed')], [['ok', 'a, b']]],
  ['is content with one that nobody wants to run', [bot('a', 'unarmed', { enabled: false })], []],
  ['tells of one that waits', [bot('a', 'unarmed', { reason: waits })], [['note', 'a: stopped until']]],
  ['but of none that is armed by now', [bot('a', 'armed', { reason: waits })], [['ok', 'a']]],
  ['and of none without a live secret by now', [bot('a', null, { reason: waits })], []],
  ['tells of one whose arming has ended', [bot('a', 'expired'), bot('b', 'armed')], [['note', 'a: goes on']]],
  ['but not once it is stopped', [bot('a', 'expired', { enabled: false })], [['ok', 'a']]],
  [
    'tells of one that the upgrade armed',
    [bot('a', 'armed', { for_review: true })],
    [['note', 'a: armed by the upgrade']],
  ],
])('the doctor %s', (_, bots, expected) => {
  const found = checkArmed(bots).map(({ level, message }) => [level, message] as const);
  expect(found).toHaveLength(expected.length);
  for (const [at, [level, text]] of expected.entries())
    expect(found[at]).toEqual([level, expect.stringContaining(text ?? '')]);
});
