import { expect, it } from 'vitest';
import { visibleName } from '../../../src/shared/visible-name.ts';

it('shows what hides, or turns the order of letters around', () => {
  expect(visibleName('\u202egnp.exe')).toBe('\\u202egnp.exe');
  expect(visibleName('a\u200b\u0007\nb\ufeff')).toBe('a\\u200b\\u0007\\u000ab\\ufeff');
  expect(visibleName('größe 日本 🚀.py')).toBe('größe 日本 🚀.py');
});
