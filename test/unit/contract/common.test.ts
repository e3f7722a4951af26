import { describe, expect, it } from 'vitest';
import { ACCOUNT_OPERATIONS } from '../../../src/contract/account-operations.ts';
import { DeployRequest } from '../../../src/contract/bot.ts';

const REQUEST = { type: 'realtime/sma', version: '1.0.0', config: {} };

/** Every input that names something which is shown to people, as a list or a question. */
const NAMED: readonly (readonly [string, (name: string) => boolean])[] = [
  ['a bot', (name) => DeployRequest.safeParse({ ...REQUEST, name }).success],
  ['a key', (name) => ACCOUNT_OPERATIONS['keys.create'].input.safeParse({ name }).success],
  ['a device', (client) => ACCOUNT_OPERATIONS['auth.device_start'].input.safeParse({ client }).success],
];

describe.each(NAMED)('the name of %s', (_, takes) => {
  it.each([
    ['none', ''],
    ['spaces', ' \u00a0\u3000'],
    ['signs without width', '\u200b\u200d\u2060\ufeff'],
    ['marks that turn the order around', '\u202e\u2066\u200f'],
    ['what is drawn as nothing', '\u3164\u2800\u00ad\u{e0041}'],
    ['an escape sequence', 'a\u001b[2J\u0007'],
    ['a C1 control', 'a\u009b2J'],
    ['a line end', 'a\nb'],
    ['half of a character', 'a\ud83d'],
    ['more than 100 characters', '🚀'.repeat(101)],
  ])('cannot be %s', (_kind, name) => {
    expect(takes(name)).toBe(false);
  });

  it.each(['CLI on büro-1', '🚀'.repeat(100), '👨‍👩‍👧', 'نص عربي\u200f', '"a" \'b\'', '日本', '\ue000'])(
    'can be %s',
    (name) => {
      expect(takes(name)).toBe(true);
    },
  );
});
