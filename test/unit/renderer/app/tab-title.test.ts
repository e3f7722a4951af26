import { expect, it } from 'vitest';
import { tabTitle } from '../../../../src/renderer/app/tab-title.ts';

it('the title of the tab counts the bots that need somebody and names the bot of the page', () => {
  expect(tabTitle(0, null)).toBe('Bot Platform');
  expect(tabTitle(3, null)).toBe('(3) Bot Platform');
  expect(tabTitle(3, 'Momentum AAPL')).toBe('(3) Momentum AAPL · Bot Platform');
  expect(tabTitle(0, 'Momentum AAPL')).toBe('Momentum AAPL · Bot Platform');
});
