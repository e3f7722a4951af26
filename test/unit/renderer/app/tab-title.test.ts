import { expect, it } from 'vitest';
import { tabTitle } from '../../../../src/renderer/app/tab-title.ts';

it('the title of the tab counts the bots that need somebody, and says of the bot of the page its name and whether it is live', () => {
  expect(tabTitle(0, null)).toBe('Bot Platform');
  expect(tabTitle(3, null)).toBe('(3) Bot Platform');
  expect(tabTitle(3, { name: 'Momentum AAPL', isLive: false })).toBe('(3) Momentum AAPL · Bot Platform');
  expect(tabTitle(0, { name: 'Momentum AAPL', isLive: true })).toBe('LIVE Momentum AAPL · Bot Platform');
});
