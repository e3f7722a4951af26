import { expect, it } from 'vitest';
import { MaskBudget } from '../../../../../src/main/host/logs/mask-budget.ts';

it('a bot may mask for half of the time, and for half a second at once', () => {
  const budget = new MaskBudget();
  budget.spend(400, 1000);
  expect(budget.pause).toBe(0);
  budget.spend(400, 1100);
  expect(budget.pause).toBe(500);
  budget.spend(0, 1600);
  expect(budget.pause).toBe(0);
});

it('what was not spent is not saved up', () => {
  const budget = new MaskBudget();
  budget.spend(0, 1000);
  budget.spend(600, 1_000_000);
  expect(budget.pause).toBe(200);
});

it('work in a steady half of the time never waits', () => {
  const budget = new MaskBudget();
  for (let now = 0; now < 100_000; now += 40) {
    budget.spend(20, now);
    expect(budget.pause).toBe(0);
  }
});
