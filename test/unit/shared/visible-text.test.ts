import { expect, it } from 'vitest';
import { visible } from '../../../src/shared/visible-text.ts';

it('shows what would turn a line round or hide a part of it, and leaves colours, lines and other scripts', () => {
  expect(visible('pay \u202eRTL\u202c now\u2028\u0085')).toBe('pay \\u202eRTL\\u202c now\\u2028\\u0085');
  const plain = '\u001b[31mred\u001b[0m\nשלום größe 鍵\t';
  expect(visible(plain)).toBe(plain);
});
