import { expect, it } from 'vitest';
import { endReason, reason, revived } from '../../../../../src/main/host/bots/reasons.ts';
import { botRow } from '../../../../support/bot-row.ts';

const ended = (exitCode: number) => endReason({ exitCode, signal: null, endedAt: 0 }, { kind: 'none' });

it('the end of a container that could not read its files is explained', () => {
  expect(ended(125)).toMatchObject({
    code: 'EXIT_CODE',
    message: 'Ended with exit code 125',
    hint: expect.stringContaining("the container could not read the bot's files"),
  });
  expect(ended(124)?.hint).toBe('The last lines of its log show where.');
  expect(ended(0)).toBeNull();
});

it('a bot that its engine could not start, or isolated too little, is tried again once the engine can', () => {
  for (const code of ['ENGINE_UNAVAILABLE', 'ISOLATION_REQUIRED'])
    expect(revived(botRow({ status: 'backing_off', failures: 3, reason: reason(code, code, null, 0) }))).toMatchObject({
      ...{ status: 'starting', failures: 0, reason: null },
    });
  expect(revived(botRow({ status: 'failed', reason: reason('INVALID_CONFIG', 'x', null, 0) }))).toBeNull();
});
