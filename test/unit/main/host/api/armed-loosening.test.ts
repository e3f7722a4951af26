import { expect, it } from 'vitest';
import type { IsolationLevel } from '../../../../../src/contract/isolation.ts';
import { assertMayLoosen, loosensBot } from '../../../../../src/main/host/api/armed-loosening.ts';
import type { Caller } from '../../../../../src/main/host/api/handler-types.ts';
import type { BotRow } from '../../../../../src/main/host/control/bot-store.ts';
import type { NetworkUse } from '../../../../../src/main/host/engine/engine.ts';

const LEVELS: Readonly<Record<string, IsolationLevel>> = { process: 'none', sandbox: 'sandbox' };
const bot = (engine: string, use: NetworkUse): BotRow => ({ botId: 'bot_1', engine, use }) as unknown as BotRow;

function loosens(before: BotRow, after: BotRow): boolean {
  const services = {
    isolation: { levelOf: (engine: string) => LEVELS[engine] ?? 'none' },
    unitSpecs: {
      networked: ({ botId, ...row }: BotRow) => ({
        botId,
        use: (row as unknown as { use: NetworkUse }).use,
        permits: null,
      }),
    },
  };
  return loosensBot(services as unknown as Parameters<typeof loosensBot>[0], before, after);
}

it.each([
  ['another engine that isolates less', bot('sandbox', 'gate'), bot('process', 'gate'), true],
  ['one that isolates more', bot('process', 'gate'), bot('sandbox', 'gate'), false],
  ['a network that it did not have', bot('process', 'none'), bot('process', 'machine'), true],
  ['no network any more', bot('process', 'machine'), bot('process', 'none'), false],
  ['the same', bot('process', 'machine'), bot('process', 'machine'), false],
] as const)('%s loosens a bot: %s', (_, before, after, expected) => {
  expect(loosens(before, after)).toBe(expected);
});

function mayLoosen(
  state: 'armed' | 'expired' | 'unarmed' | null,
  method: 'session' | 'api_key',
  hasPin: boolean,
): string {
  const services = {
    armings: { shown: () => (state === null ? null : { state }) },
    pins: {
      check: () => {
        if (!hasPin) throw Object.assign(new Error(), { code: 'PIN_REQUIRED' });
      },
    },
  } as unknown as Parameters<typeof assertMayLoosen>[0];
  const caller = { userId: 'user_1', principal: { method, name: 'ann' } } as unknown as Caller;
  try {
    assertMayLoosen(services, caller, bot('process', 'machine'));
    return 'may';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

it.each([
  ['armed', 'session', true, 'may'],
  ['armed', 'session', false, 'PIN_REQUIRED'],
  ['armed', 'api_key', true, 'SESSION_REQUIRED'],
  ['expired', 'session', false, 'PIN_REQUIRED'],
  ['unarmed', 'api_key', false, 'may'],
  [null, 'api_key', false, 'may'],
] as const)('a bot that is %s may be loosened by a %s (PIN entered: %s): %s', (state, method, hasPin, expected) => {
  expect(mayLoosen(state, method, hasPin)).toBe(expected);
});
