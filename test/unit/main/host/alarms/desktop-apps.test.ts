import { expect, it } from 'vitest';
import type { DesktopNotice } from '../../../../../src/contract/alarms.ts';
import { alarmsHere } from '../../../../support/alarms-here.ts';

/** A desktop app of a user that shows what it is told, or says that it may not. */
function app(here: ReturnType<typeof alarmsHere>, userId = 'user_1', isShown = true) {
  const told: DesktopNotice[] = [];
  const quit = here.alarms.desktop.follow(userId, (notice) => {
    told.push(notice);
    setImmediate(() => here.alarms.desktop.settle(userId, notice.id, isShown));
  });
  return { told, quit };
}

const added = (here: ReturnType<typeof alarmsHere>): string =>
  here.alarms.addChannel('user_1', { name: 'desk', kind: 'desktop', settings: {} }).channel_id;

it('says that no app is there, and is not used until a test message was shown', async () => {
  const here = alarmsHere();
  const id = added(here);
  expect(await here.alarms.testChannel('user_1', id)).toMatchObject({
    sent: false,
    problem: expect.stringContaining('No desktop app of yours is connected to this host'),
    channel: { state: 'unverified', target: 'your desktop app' },
  });
  // The app of another user is not theirs.
  const other = app(here, 'user_2');
  expect(await here.alarms.testChannel('user_1', id)).toMatchObject({ sent: false });
  expect(other.told).toEqual([]);
  const own = app(here);
  expect(await here.alarms.testChannel('user_1', id)).toMatchObject({ sent: true, channel: { state: 'ok' } });
  expect(own.told).toMatchObject([{ title: 'This is a test of your alarms', bot_id: null }]);
});

it('shows an alarm when the app is back, with the true time, once', async () => {
  const here = alarmsHere();
  const id = added(here);
  const first = app(here);
  await here.alarms.testChannel('user_1', id);
  first.quit();
  here.clock.ms += 61_000;
  here.fail();
  await here.settle();
  expect(here.alarms.channels('user_1')[0]).toMatchObject({ state: 'ok', waiting: 1 });
  here.clock.ms += 7_200_000;
  const second = app(here);
  await here.settle();
  expect(second.told).toMatchObject([{ title: 'sma live failed', bot_id: 'bot_1', severity: 'warning' }]);
  expect(second.told[0]?.text).toContain('Late: this happened at 2026-11-29T12:01:01.000Z');
  expect(here.log()[0]?.deliveries[0]).toMatchObject({ channel: 'desk', state: 'sent' });
});

it('does not wait for an app whose person wants no notifications', async () => {
  const here = alarmsHere();
  const id = added(here);
  app(here, 'user_1', false);
  expect(await here.alarms.testChannel('user_1', id)).toMatchObject({
    sent: false,
    problem: expect.stringContaining('Notifications are off in the desktop app'),
  });
});
