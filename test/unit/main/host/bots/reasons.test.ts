import { expect, it } from 'vitest';
import { endReason } from '../../../../../src/main/host/bots/reasons.ts';

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
