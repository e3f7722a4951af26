import { expect, it } from 'vitest';
import { ClockWatch } from '../../../../../src/main/host/alarms/clock-watch.ts';

const HOUR = 3_600_000;

/** Clocks that the test moves by hand. */
function clocks() {
  const at = { wall: Date.UTC(2026, 10, 29), steady: 0, up: 0 };
  const watch = new ClockWatch({ wall: () => at.wall, steady: () => at.steady, up: () => at.up }, 5000);
  const pass = (wall: number, steady: number, up: number) => {
    at.wall += wall;
    at.steady += steady;
    at.up += up;
    return watch.look(() => 3);
  };
  return pass;
}

it('says nothing of ticks, slow ones, and small corrections', () => {
  const pass = clocks();
  expect([...pass(5000, 5000, 5000), ...pass(20_000, 20_000, 20_000), ...pass(9000, 5000, 5000)]).toEqual([]);
});

it('tells sleep from a clock that was set', () => {
  const pass = clocks();
  expect(pass(2 * HOUR, 5000, 2 * HOUR)).toMatchObject([
    { event: 'slept', text: 'From 2026-11-29T00:00:00.000Z to 2026-11-29T02:00:00.000Z. 3 due times of bots passed.' },
  ]);
  expect(pass(5000 - HOUR, 5000, 5000)).toMatchObject([
    { event: 'clock_jumped', title: 'The clock of the host jumped back by 1 h' },
  ]);
  expect(pass(5000 + HOUR, 5000, 5000)).toMatchObject([{ event: 'clock_jumped' }]);
});

it('knows sleep by a look that came late where the steady clock goes on', () => {
  expect(clocks()(2 * HOUR, 2 * HOUR, 2 * HOUR)).toMatchObject([{ event: 'slept' }]);
});
