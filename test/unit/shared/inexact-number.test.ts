import { expect, it } from 'vitest';
import { inexactNumber } from '../../../src/shared/inexact-number.ts';

it.each([
  ['{"id": 9007199254740993}', '9007199254740993'],
  ['[-9007199254740992]', '-9007199254740992'],
  ['1e999', '1e999'],
  ['{"a": 9007199254740991, "b": -9007199254740991}', null],
  ['{"9007199254740993": "9007199254740993 \\" 9007199254740993"}', null],
  ['[0.1, 1e30, 1.5e-7, 123456789.123456789]', null],
])('%s holds the number %s that would change', (json, token) => expect(inexactNumber(json)).toBe(token));
