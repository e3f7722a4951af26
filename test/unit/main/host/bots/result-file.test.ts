import { expect, it } from 'vitest';
import { readResult } from '../../../../../src/main/host/bots/result-file.ts';

it.each([
  ['hunter2-secret', 'the result is not JSON'],
  ['{"key":"hunter2-secret"', 'the result is not JSON at position 23 (line 1 column 24)'],
])('%s is told as no JSON without a piece of it', async (text, why) => {
  expect(await readResult({ result: async () => ({ text }) })).toEqual({ kind: 'unreadable', why });
});
