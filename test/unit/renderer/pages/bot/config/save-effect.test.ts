import { expect, it } from 'vitest';
import { effectOf } from '../../../../../../src/renderer/pages/bot/config/save-effect.ts';

it('the button that saves a config says what happens to the bot', () => {
  const realtime = { type: 'realtime/sma', enabled: true } as const;
  expect(effectOf({ ...realtime, status: 'running' }).verb).toBe('Save and restart');
  expect(effectOf({ ...realtime, status: 'running' }).done).toBe('It restarts now.');
  expect(effectOf({ ...realtime, status: 'backing_off' }).verb).toBe('Save and try again');
  expect(effectOf({ ...realtime, enabled: false, status: 'stopped' }).verb).toBe('Save');
  expect(effectOf({ type: 'scheduled/report', enabled: true, status: 'scheduled' }).verb).toBe('Save');
});
