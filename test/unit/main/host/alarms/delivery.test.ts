import { expect, it } from 'vitest';
import { retryDelay } from '../../../../../src/main/host/alarms/delivery.ts';
import { dropWaitingAlarms } from '../../../../../src/main/host/control/alarm-store.ts';
import { alarmsHere, NOON } from '../../../../support/alarms-here.ts';

const HOUR = 3_600_000;

it('tells of a failure once, and of the recovery where the failure was told', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  here.fail();
  here.fail();
  await here.settle();
  here.recover();
  await here.settle();
  expect(hook.bodies.map(({ title, items }) => [title, items[0].event])).toEqual([
    ['sma live failed', 'failed'],
    ['sma live has recovered', 'recovered'],
  ]);
  expect(here.errors).toEqual([]);
});

it('says no recovery over a channel that was not told of the failure', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  here.alarms.mute('user_1', 'bot_1', 60);
  here.fail();
  here.recover();
  await here.settle();
  expect(hook.bodies).toEqual([]);
  expect(here.log()[0]).toMatchObject({ event: 'recovered', note: 'No channel was told that it began.' });
});

it('drops the recovery of a failure that a channel never took', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  hook.answer = () => ({ status: 503 });
  here.fail();
  await here.settle();
  here.recover();
  hook.answer = () => ({ status: 400 });
  here.clock.ms += 5000;
  await here.settle();
  hook.answer = () => ({ status: 200 });
  await here.settle();
  expect(hook.received.length).toBe(2);
  expect(here.log()[0]?.deliveries[0]).toMatchObject({ state: 'dropped' });
  expect(here.log()[1]?.deliveries[0]).toMatchObject({
    state: 'failed',
    problem: 'The webhook answered with status 400',
  });
});

it('does not tell of an open incident again after a restart of the host', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  here.fail();
  await here.settle();
  await here.restart();
  here.fail();
  await here.settle();
  expect(hook.received.length).toBe(1);
});

it('sends again with the same id when the host dies before it stores that it has sent', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  here.fail();
  await here.settle();
  // As a host leaves it that dies after sending.
  here.db.exec(
    "update alarm_delivery set state = 'waiting', sent_at = null where message is not null and alarm_id in (select alarm_id from alarm where event = 'failed')",
  );
  await here.restart();
  await here.settle();
  const ids = hook.bodies.map(({ id }) => id);
  expect(ids.length).toBe(2);
  expect(new Set(ids).size).toBe(1);
});

it('tries for 24 hours, 5 s to 1 h apart, then gives up and shows it', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  expect([0, 1, 2, 9, 10, 50].map(retryDelay)).toEqual([5000, 10_000, 20_000, 2_560_000, HOUR, HOUR]);
  hook.answer = () => ({ status: 503 });
  here.fail();
  const begun = here.clock.ms;
  const tries: number[] = [];
  for (;;) {
    await here.settle();
    const [channel] = here.alarms.channels('user_1');
    if (channel?.waiting === 0) break;
    tries.push(here.clock.ms - begun);
    here.clock.ms = Date.parse(channel?.retry_at ?? '');
  }
  expect(tries.slice(0, 4)).toEqual([0, 5000, 15_000, 35_000]);
  expect(here.clock.ms - begun).toBeGreaterThanOrEqual(24 * HOUR);
  expect(here.clock.ms - begun).toBeLessThan(25 * HOUR + 1);
  expect(here.log()[0]?.deliveries[0]).toMatchObject({
    state: 'failed',
    problem: 'The webhook answered with status 503; given up after 24 h',
  });
});

it('obeys Retry-After', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  hook.answer = () => ({ status: 429, headers: { 'retry-after': '120' } });
  here.fail();
  await here.settle();
  expect(here.alarms.channels('user_1')[0]?.retry_at).toBe(new Date(here.clock.ms + 120_000).toISOString());
});

it('tells once, with the true time and the reason, when a channel was away for two hours', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  hook.answer = () => 'hang up';
  here.fail();
  const at = new Date(here.clock.ms).toISOString();
  const end = here.clock.ms + 2 * HOUR;
  while (here.clock.ms < end) {
    await here.settle();
    here.clock.ms = Math.min(end, Date.parse(here.alarms.channels('user_1')[0]?.retry_at ?? ''));
  }
  here.clock.ms = Date.parse(here.alarms.channels('user_1')[0]?.retry_at ?? '');
  hook.received.length = 0;
  hook.answer = () => ({ status: 200 });
  await here.settle();
  expect(hook.received.length).toBe(1);
  expect(hook.bodies[0]).toMatchObject({ at, title: 'sma live failed' });
  expect(hook.bodies[0].late).toMatch(
    new RegExp(
      `^Late: this happened at ${at.replaceAll('.', '\\.')}, .+ ago; the channel could not be reached until now`,
    ),
  );
});

it('sends a thousand failures at once as at most 12 messages that name them all', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  for (let n = 0; n < 1000; n++) here.addBot(`many_${n}`);
  for (let n = 0; n < 1000; n++) {
    here.fail(`many_${n}`);
    if (n % 100 === 0) await here.settle();
  }
  for (let n = 0; n < 20; n++) {
    await here.settle();
    here.clock.ms += 15_000;
  }
  expect(hook.received.length).toBeLessThanOrEqual(12);
  const told = hook.bodies.flatMap(({ items }) => items.map(({ bot_id }: { bot_id: string }) => bot_id));
  expect(new Set(told).size).toBe(1000);
  expect(told.length).toBe(1000);
});

it('sends no old message after a restore', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  hook.answer = () => ({ status: 503 });
  here.fail();
  await here.settle();
  hook.received.length = 0;
  dropWaitingAlarms(here.db, here.clock.ms);
  hook.answer = () => ({ status: 200 });
  here.clock.ms += HOUR;
  await here.restart();
  await here.settle();
  expect(hook.received).toEqual([]);
  expect(here.log()[0]?.deliveries[0]).toMatchObject({
    state: 'dropped',
    problem: 'The host was restored from a backup',
  });
});

it('disables a channel whose credential is refused, and the others tell of it', async () => {
  const here = alarmsHere();
  const [hook, other] = [await here.webhook('phone'), await here.webhook('desk')];
  hook.answer = () => ({ status: 401 });
  here.fail();
  await here.settle();
  await here.settle();
  expect(here.alarms.channels('user_1').map(({ name, state, waiting }) => [name, state, waiting])).toEqual([
    ['phone', 'disabled', 0],
    ['desk', 'ok', 0],
  ]);
  expect(other.bodies.map(({ title }) => title)).toEqual([
    'sma live failed',
    'The alarm channel phone does not work any more',
  ]);
});

it('keeps quiet during quiet hours, except for what is critical, and then says why it is late', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  here.removeRules();
  here.rule({ on: ['failed'], quiet: { from: '22:00', to: '07:00', zone: 'UTC' } });
  here.rule({ on: ['crash_loop'], severity: 'critical', quiet: { from: '22:00', to: '07:00', zone: 'UTC' } });
  here.clock.ms = NOON + 11 * HOUR;
  here.fail();
  await here.settle();
  expect(hook.received).toEqual([]);
  here.fail();
  here.fail();
  await here.settle();
  expect(hook.bodies.map(({ title }) => title)).toEqual(['sma live crashes again and again (3 times)']);
  here.clock.ms = NOON + 19 * HOUR;
  await here.settle();
  expect(hook.bodies[1]).toMatchObject({ title: 'sma live failed' });
  expect(hook.bodies[1].late).toContain('8 h ago; your quiet hours are over now');
});

/** Tells of a change of the PIN, as the host does. */
const changePin = (here: ReturnType<typeof alarmsHere>): void =>
  here.alarms.outbox.tellAll('user_1', 'pin_changed', 'Your PIN was reset by owner', 'If it was not you, …');

it('sends what is about a PIN at once, by itself, whatever floods the channel', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  for (let n = 0; n < 1100; n++) here.addBot(`many_${n}`);
  for (let n = 0; n < 6; n++) {
    here.fail(`many_${n}`);
    await here.settle();
  }
  for (let n = 6; n < 1100; n++) here.fail(`many_${n}`);
  await here.settle();
  hook.received.length = 0;
  changePin(here);
  await here.settle();
  expect(hook.bodies.map(({ title, items }) => [title, items.length])).toEqual([['Your PIN was reset by owner', 1]]);
});

it('keeps a channel as it is while it has not told of a PIN', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  const [channel] = here.alarms.channels('user_1');
  const channel_id = channel?.channel_id ?? '';
  const settings = { url: 'https://thief.example/', secret: 'a secret of the thief' };
  hook.answer = () => ({ status: 503 });
  changePin(here);
  const refused = (work: () => unknown): unknown => {
    try {
      work();
      return null;
    } catch (error) {
      return error;
    }
  };
  const attempts = [
    () => here.alarms.removeChannel('user_1', channel_id),
    () => here.alarms.changeChannel('user_1', { channel_id, settings }),
  ];
  for (const attempt of attempts) expect(refused(attempt)).toMatchObject({ code: 'CHANNEL_BUSY' });
  await here.settle();
  for (const attempt of attempts)
    expect(refused(attempt)).toMatchObject({ code: 'CHANNEL_BUSY', hint: expect.stringContaining('status 503') });
  expect(here.alarms.changeChannel('user_1', { channel_id, name: 'another' })).toMatchObject({ state: 'ok' });
  hook.answer = () => ({ status: 200 });
  here.clock.ms += 5000;
  await here.settle();
  expect(hook.bodies.at(-1)).toMatchObject({ title: 'Your PIN was reset by owner' });
  // What does not concern the PIN holds nothing.
  here.fail();
  for (const attempt of attempts.toReversed()) expect(refused(attempt)).toBeNull();
});

it('lets a channel be repaired whose service refuses it, also while a message about a PIN waits', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  const channel_id = here.alarms.channels('user_1')[0]?.channel_id ?? '';
  changePin(here);
  hook.answer = () => ({ status: 401 });
  await here.alarms.testChannel('user_1', channel_id);
  expect(here.alarms.channels('user_1')[0]).toMatchObject({ state: 'disabled' });
  expect(here.alarms.changeChannel('user_1', { channel_id, settings: {} })).toMatchObject({ state: 'unverified' });
});

it('sends other alarms while messages about a PIN come without end', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  for (let second = 0; second < 300; second += 10) {
    here.alarms.outbox.tellAll('user_1', 'pin_changed', `change ${second}`, '');
    if (second === 60) here.fail();
    await here.settle();
    here.clock.ms += 10_000;
    if (second === 70) expect(hook.bodies.map(({ title }) => title)).toContain('sma live failed');
  }
});

it('sends five messages about a PIN each by itself, and gathers what follows within a minute', async () => {
  const here = alarmsHere();
  const hook = await here.webhook();
  for (let n = 1; n <= 30; n++) {
    here.alarms.outbox.tellAll('user_1', 'pin_changed', `change ${n}`, '');
    await here.settle();
  }
  here.fail();
  await here.settle();
  here.clock.ms += 60_000;
  await here.settle();
  expect(hook.bodies.map(({ title, items }) => [title, items.length])).toEqual([
    ...[1, 2, 3, 4, 5].map((n) => [`change ${n}`, 1]),
    ['sma live failed', 1],
    ['25 alarms', 25],
  ]);
});
