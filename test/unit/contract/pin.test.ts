import { expect, it } from 'vitest';
import { ChosenPin } from '../../../src/contract/pin.ts';

it.each(['481516', '112233', 'correct horse', '1234567x', 'a1b2c3', '🂡🂢🂣🂤🂥🂧'])('%s may be chosen', (pin) => {
  expect(ChosenPin.safeParse(pin).success).toBe(true);
});

it.each(['', '12345', '000000', '123456', '987654', 'abcdefg', 'zzzzzzzz', 'x'.repeat(101)])('%s may not', (pin) => {
  expect(ChosenPin.safeParse(pin).success).toBe(false);
});
