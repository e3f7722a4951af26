import { expect, it } from 'vitest';
import type { BotArming } from '../../../../../src/contract/arming.ts';
import { Approvals, type ApprovalsDeps } from '../../../../../src/main/host/bots/approvals.ts';
import type { StagedRow } from '../../../../../src/main/host/control/staged-store.ts';
import { botRow } from '../../../../support/bot-row.ts';

const row = (botId: string): StagedRow => ({
  botId,
  changeId: `apr_${botId}`,
  generation: 1,
  version: '1.0.1',
  versionHash: '',
  request: '',
  changes: [],
  askedBy: 'key builder',
  keyId: 'key_1',
  client: null,
  askedAt: 0,
  expiresAt: 1,
});

it.each([
  ['armed', true, { enabled: true }, 0, true],
  ['armed', true, { enabled: false }, 0, true],
  ['expired', true, { enabled: true }, 1, true],
  // With what was armed, it would start at once: a key never brings it back to that, with other times or options.
  ['changed', true, { enabled: false }, 0, true],
  ['loosened', true, { enabled: false }, 0, true],
  // Its live secret has another class for now.
  [null, true, { enabled: false }, 0, true],
  // It waits for the key of the host, or for a person: the upgrade or a person will arm what it is then.
  ['unarmed', false, { enabled: true }, 0, true],
  // A run by hand of a bot that is disabled.
  ['unarmed', false, { enabled: false }, 1, true],
  ['unarmed', false, { enabled: false }, 0, false],
  [null, false, { enabled: true }, 1, false],
] as const)(
  'a change of a bot that is %s, remembered: %s, %j, with %i programs, needs a person: %s',
  (state, remembered, bot, programs, expected) => {
    const approvals = new Approvals({
      armings: {
        remembers: () => remembered,
        shown: () => (state === null ? null : ({ state } as BotArming)),
      },
      supervisor: { liveRuns: () => Array.from({ length: programs }) },
    } as unknown as ApprovalsDeps);
    expect(approvals.needsPerson(botRow(bot))).toBe(expected);
  },
);

it('drops what nobody approved in time, and what a revoked key has asked, says so, and goes on after one that a full disk keeps', () => {
  const told: unknown[] = [];
  const dropped: string[] = [];
  const failed: string[] = [];
  const approvals = new Approvals({
    staged: {
      over: () => [row('bot_1'), row('bot_2'), row('bot_3')],
      isExpired: ({ botId }: StagedRow) => botId !== 'bot_3',
      drop: (botId: string) => void dropped.push(botId),
    },
    journal: {
      change: (
        botId: string,
        change: object,
        { kind, why, also }: { kind: string; why: { message: string }; also: () => void },
      ) => {
        if (botId === 'bot_1') throw new Error('the disk is full');
        also();
        told.push([botId, change, kind, why.message]);
      },
    },
    now: () => 2,
    onError: (where: string) => void failed.push(where),
  } as unknown as ApprovalsDeps);
  approvals.dropOver();
  expect(dropped).toEqual(['bot_2', 'bot_3']);
  expect(told).toEqual([
    ['bot_2', {}, 'change_dropped', 'Nobody approved in time what key builder asked for'],
    ['bot_3', {}, 'change_dropped', 'The key builder, which asked for it, was revoked'],
  ]);
  expect(failed).toEqual(['what waits for a person of bot_1']);
});
