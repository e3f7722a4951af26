import { expect, it } from 'vitest';
import { problemOfJson } from '../../../../../src/renderer/pages/bot/json-problem.ts';

it('problemOfJson says what is wrong', () => {
  expect(problemOfJson('{"a": 1}')).toBeNull();
  expect(problemOfJson(' ')).toContain('needed');
  expect(problemOfJson('{a}')).toContain('Not JSON');
});
