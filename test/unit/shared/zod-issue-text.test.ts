import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issueText, unknownKeyHint } from '../../../src/shared/zod-issue-text.ts';

const SHAPE = z.strictObject({
  on: z.boolean().optional(),
  count: z.number().int().min(1).max(10).optional(),
  share: z.number().positive().lt(1).optional(),
  overlap: z.enum(['skip', 'allow']).optional(),
  text: z.string().min(1).max(3).optional(),
  many: z.array(z.string()).min(1).max(2).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
  own: z.string().regex(/x/, 'must have an x').optional(),
  needed: z.string(),
});

function said(value: object): string[] {
  const { error } = SHAPE.safeParse({ needed: '', ...value }, { reportInput: true });
  return (error?.issues ?? []).map(issueText);
}

describe('issueText', () => {
  it.each([
    [{ on: 'yes' }, 'must be true or false, not text in quotes'],
    [{ count: '1' }, 'must be a number, not text in quotes'],
    [{ count: 1.5 }, 'must be a whole number, not a fraction'],
    [{ count: 0 }, 'must be at least 1'],
    [{ count: 11 }, 'must be at most 10'],
    [{ share: 0 }, 'must be more than 0'],
    [{ share: 1 }, 'must be less than 1'],
    [{ overlap: 'skp' }, 'must be skip or allow; did you mean skip?'],
    [{ overlap: 7 }, 'must be skip or allow'],
    [{ text: '' }, 'must not be empty'],
    [{ text: 'long' }, 'must have at most 3 characters'],
    [{ text: null }, 'must be text, not null'],
    [{ many: [] }, 'must have at least 1 entry'],
    [{ many: ['a', 'b', 'c'] }, 'must have at most 2 entries'],
    [{ config: [1] }, 'must be an object, not a list'],
    [{ own: 'y' }, 'must have an x'],
    [{ needed: undefined }, 'is missing'],
  ])('%j: %s', (value, expected) => {
    expect(said(value)).toEqual([expected]);
  });

  it('never repeats a value that was given: it may be a secret', () => {
    expect(said({ on: 'hunter2', count: 'hunter2', text: ['hunter2'] }).join()).not.toContain('hunter2');
  });
});

it('unknownKeyHint names the one that was meant, and what is allowed', () => {
  expect(unknownKeyHint('timeout_secs', ['overlap', 'timeout_sec'])).toBe(
    'Did you mean timeout_sec? Allowed: overlap, timeout_sec.',
  );
  expect(unknownKeyHint('zzz', ['overlap'])).toBe('Allowed: overlap.');
});
