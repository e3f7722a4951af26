import { expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/contract/operations.ts';

it.each([
  [{}, true],
  [{ from: '2026-01-02' }, true],
  [{ to: '2026-01-02' }, true],
  [{ from: '2026-01-02', to: '2026-01-02' }, true],
  [{ from: '2025-12-31', to: '2026-01-01' }, true],
  [{ from: '2026-01-03', to: '2026-01-02' }, false],
])('the ledger is asked for days in their order: %j', (range, isTaken) => {
  const bot_id = 'bot_0123456789abcdef0123456789abcdef';
  expect(OPERATIONS['ledger.get'].input.safeParse({ bot_id }).success).toBe(true);
  const { success, error } = OPERATIONS['ledger.get'].input.safeParse({ bot_id, ...range });
  expect(success).toBe(isTaken);
  if (!isTaken) expect(error?.issues).toMatchObject([{ path: ['from'], message: 'must not be after `to`' }]);
});
