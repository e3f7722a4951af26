import { describe, expect, it } from 'vitest';
import { Pins } from '../../../../../src/main/host/auth/pins.ts';
import type { Principal } from '../../../../../src/main/host/auth/principal.ts';
import { createPinStore } from '../../../../../src/main/host/control/pin-store.ts';
import { bytesOf, codeOf, errorOf, HOST_TOKEN, MINUTE, openAuth, SECOND } from './open-auth.ts';

const PIN = '4815162342';

/** Pins over a real control database, as a host that was started just now sees it. */
function openPins() {
  const { auth, db, dir, clock, owner } = openAuth();
  const local = auth.authenticate(HOST_TOKEN);
  const session = (id: string): Principal => ({ ...local, method: 'session', sessionId: id });
  const told: string[] = [];
  const steady = { now: 0 };
  const started = (): Pins =>
    new Pins({
      store: createPinStore(db),
      now: () => clock.now,
      steady: () => steady.now,
      tellOfWrong: (_, title) => told.push(`wrong_pin: ${title}`),
      tellOfChange: (_, title) => {
        if (told.includes('full')) throw new Error('no space');
        told.push(`pin_changed: ${title}`);
      },
    });
  const pass = (ms: number): void => {
    clock.now += ms;
    steady.now += ms;
  };
  return { auth, db, dir, clock, owner, local, session, told, steady, started, pass, pins: started() };
}

/** A session at the page, over which no confirmation is sent. */
const at = (principal: Principal, token: string | null = null) => ({ principal, confirmation: { token } });

describe('a PIN that was entered', () => {
  it('counts for this log-in, for 5 minutes, on this host', async () => {
    const { pins, session, started, pass } = openPins();
    const [mine, other] = [session('one'), session('two')];
    await pins.set(other, PIN);
    expect(await codeOf(() => pins.check(at(mine)))).toBe('PIN_REQUIRED');
    expect(await pins.confirm(mine, PIN, 'here')).toMatchObject({ confirmation: null });
    pins.check(at(mine));
    pass(5 * MINUTE - 1);
    pins.check(at(mine));
    expect(await codeOf(() => started().check(at(mine)))).toBe('PIN_REQUIRED');
    pass(1);
    expect(await codeOf(() => pins.check(at(mine)))).toBe('PIN_REQUIRED');
  });

  it('ends by either clock: one that is set back, or one that stood still while the machine slept', async () => {
    const { pins, session, clock, steady } = openPins();
    const mine = session('one');
    await pins.set(mine, PIN);
    clock.now -= SECOND;
    expect(await codeOf(() => pins.check(at(mine)))).toBe('PIN_REQUIRED');
    clock.now += SECOND;
    steady.now += 5 * MINUTE;
    expect(await codeOf(() => pins.check(at(mine)))).toBe('PIN_REQUIRED');
    steady.now = 0;
    clock.now += 5 * MINUTE;
    expect(await codeOf(() => pins.check(at(mine)))).toBe('PIN_REQUIRED');
  });

  it('counts on the command line for the program alone that has entered it', async () => {
    const { pins, local } = openPins();
    const { confirmation } = await pins.set(local, PIN);
    pins.check(at(local, confirmation));
    for (const token of [null, '', `${confirmation}x`, 'session one', 'session null']) {
      expect(await codeOf(() => pins.check(at(local, token)))).toBe('PIN_REQUIRED');
    }
  });

  it('counts on no surface for assistants, and never for a key', async () => {
    const { pins, session, local } = openPins();
    const mine = session('one');
    const { confirmation } = await pins.set(local, PIN);
    await pins.confirm(mine, PIN, 'here');
    const key: Principal = { ...mine, method: 'api_key', keyId: 'key' };
    for (const caller of [
      { principal: mine, confirmation: null },
      { principal: local, confirmation: null },
      at(key),
      at(key, confirmation),
      { principal: null, confirmation: { token: confirmation } },
    ]) {
      expect(await codeOf(() => pins.check(caller))).toBe('PIN_REQUIRED');
    }
    await expect(pins.confirm(key, PIN, 'here')).rejects.toThrow('can confirm nothing');
  });

  it('counts no more once the PIN is another one, or is reset', async () => {
    const { pins, session, owner } = openPins();
    const [mine, other] = [session('one'), session('two')];
    await pins.set(mine, PIN);
    await pins.confirm(other, PIN, 'here');
    await pins.set(mine, 'another one');
    pins.check(at(mine));
    expect(await codeOf(() => pins.check(at(other)))).toBe('PIN_REQUIRED');
    pins.reset(owner, 'ann');
    expect(await codeOf(() => pins.check(at(mine)))).toBe('PIN_RESET');
    expect(await codeOf(() => pins.confirm(mine, PIN, 'here'))).toBe('PIN_REQUIRED');
  });
});

it('is asked for once it was chosen, and where that is demanded it has to be chosen first', async () => {
  const { pins, session } = openPins();
  const mine = session('one');
  pins.checkOnceChosen(at(mine));
  expect((await errorOf(() => pins.check(at(mine)))).details).toEqual({ chosen: false });
  await pins.set(session('two'), PIN);
  expect((await errorOf(() => pins.checkOnceChosen(at(mine)))).details).toEqual({ chosen: true });
});

describe('wrong PINs', () => {
  it('cost time from the fifth on, up to a quarter of an hour, over restarts and over all log-ins of the user', async () => {
    const { pins, session, started, pass } = openPins();
    await pins.set(session('one'), PIN);
    for (let count = 0; count < 5; count++)
      expect(await codeOf(() => pins.confirm(session(`s${count}`), 'wrong', 'here'))).toBe('WRONG_PIN');
    const next = await errorOf(() => started().confirm(session('two'), PIN, 'here'));
    expect([next.code, next.retryAfter]).toEqual(['RATE_LIMITED', 2]);
    for (let count = 5; count < 20; count++) {
      pass(15 * MINUTE);
      expect(await codeOf(() => pins.confirm(session('one'), 'wrong', 'here'))).toBe('WRONG_PIN');
    }
    expect(pins.info(at(session('one')), session('one').userId)).toMatchObject({ wrong: 20, wait_sec: 900 });
    // What was confirmed before goes on, and the right one ends the waiting.
    pass(15 * MINUTE);
    await pins.confirm(session('one'), PIN, 'here');
    expect(pins.info(at(session('one')), session('one').userId)).toMatchObject({ wrong: 0, wait_sec: 0 });
  });

  it('are counted before they are checked, so that guesses sent at once are no more than guesses one by one', async () => {
    const { pins, session } = openPins();
    await pins.set(session('one'), PIN);
    const codes = await Promise.all(
      Array.from({ length: 20 }, () => codeOf(() => pins.confirm(session('one'), 'wrong', 'here'))),
    );
    expect(codes.filter((code) => code === 'WRONG_PIN').length).toBe(5);
    expect(codes.filter((code) => code === 'RATE_LIMITED').length).toBe(15);
  });

  it('make nobody wait longer by a clock that is set back', async () => {
    const { pins, session, clock } = openPins();
    await pins.set(session('one'), PIN);
    for (let count = 0; count < 5; count++) await codeOf(() => pins.confirm(session('one'), 'wrong', 'here'));
    clock.now -= 100 * 86_400 * SECOND;
    expect((await errorOf(() => pins.confirm(session('one'), PIN, 'here'))).retryAfter).toBe(2);
  });

  it('are told from the third in a row, then ever more rarely', async () => {
    const { pins, session, told, pass } = openPins();
    await pins.set(session('one'), PIN);
    for (let count = 0; count < 24; count++) {
      await codeOf(() => pins.confirm(session('one'), 'wrong', 'here'));
      pass(15 * MINUTE);
    }
    expect(told).toEqual([
      'pin_changed: A PIN was chosen for your account',
      ...[3, 6, 12, 24].map((count) => `wrong_pin: A wrong PIN was entered ${count} times for your account`),
    ]);
  });
});

it('every change of a PIN is told, and no file holds one in the clear', async () => {
  const { pins, local, owner, told, dir } = openPins();
  await pins.set(local, PIN);
  await pins.set(local, 'another one');
  pins.reset(owner, 'ann');
  expect(told).toEqual([
    'pin_changed: A PIN was chosen for your account',
    'pin_changed: Your PIN was changed',
    'pin_changed: Your PIN was reset by ann',
  ]);
  expect(bytesOf(dir)).toContain('$argon2id$');
  for (const pin of [PIN, 'another one']) expect(bytesOf(dir)).not.toContain(pin);
});

describe('a reset', () => {
  it('has what needs the PIN wait for an hour, whatever PIN is chosen and entered meanwhile, but not the choice', async () => {
    const { pins, session, owner, pass } = openPins();
    const mine = session('one');
    await pins.set(mine, PIN);
    pins.reset(owner, 'ann');
    pass(20 * MINUTE);
    const refused = await errorOf(() => pins.checkOnceChosen(at(mine)));
    expect([refused.code, refused.retryAfter]).toEqual(['PIN_RESET', 40 * 60]);
    expect(refused.hint).toContain('until 2026-01-02T04:04:05.000Z');
    pins.checkBeforeChoice(at(mine));
    await pins.set(mine, 'of a thief');
    for (const check of [pins.checkOnceChosen, pins.check])
      expect(await codeOf(() => check.call(pins, at(mine)))).toBe('PIN_RESET');
    // From then on a choice needs the PIN that was chosen.
    pins.checkBeforeChoice(at(mine));
    expect(await codeOf(() => pins.checkBeforeChoice(at(session('two'))))).toBe('PIN_REQUIRED');
    // Another reset begins another hour.
    pins.reset(owner, 'ann');
    pass(60 * MINUTE - 1);
    expect(await codeOf(() => pins.checkOnceChosen(at(mine)))).toBe('PIN_RESET');
    pass(1);
    pins.checkOnceChosen(at(mine));
    expect((await errorOf(() => pins.check(at(mine)))).code).toBe('PIN_REQUIRED');
  });

  it.each([
    ['forward', 86_400 * SECOND],
    ['back', -86_400 * SECOND],
  ])('has it wait for that hour when the clock is set %s', async (_, step) => {
    const { pins, session, owner, clock, pass } = openPins();
    const mine = session('one');
    await pins.set(mine, PIN);
    pins.reset(owner, 'ann');
    clock.now += step;
    pass(60 * MINUTE - 1);
    expect(await codeOf(() => pins.checkOnceChosen(at(mine)))).toBe('PIN_RESET');
    pass(1);
    pins.checkOnceChosen(at(mine));
  });

  it('is known to the next host, for at most an hour', async () => {
    const { pins, session, owner, clock, pass, started } = openPins();
    const mine = session('one');
    await pins.set(mine, PIN);
    pins.reset(owner, 'ann');
    pass(59 * MINUTE);
    const next = started();
    expect((await errorOf(() => next.checkOnceChosen(at(mine)))).retryAfter).toBe(60);
    clock.now -= 86_400 * SECOND;
    const last = started();
    expect((await errorOf(() => last.checkOnceChosen(at(mine)))).retryAfter).toBe(3600);
    pass(60 * MINUTE);
    last.checkOnceChosen(at(mine));
  });

  it('leaves nothing of a user who is deleted', async () => {
    const { pins, auth, local, db } = openPins();
    const { user_id } = await auth.createUser({ name: 'bob', password: 'a long password' });
    await pins.set({ ...local, userId: user_id }, PIN);
    pins.reset(user_id, 'ann');
    expect(createPinStore(db).resetAt(user_id)).not.toBeNull();
    auth.deleteUser(user_id);
    expect(createPinStore(db).resetAt(user_id)).toBeNull();
  });

  it('of a user without a PIN holds up nothing, and tells nobody', () => {
    const { pins, session, owner, told } = openPins();
    for (let n = 0; n < 10; n++) pins.reset(owner, 'ann');
    pins.checkOnceChosen(at(session('one')));
    expect(told).toEqual([]);
  });

  it('is refused after 5 of a user within an hour', async () => {
    const { pins, session, owner, pass, told } = openPins();
    const mine = session('one');
    for (let n = 0; n < 5; n++) {
      await pins.set(mine, PIN);
      pins.reset(owner, 'ann');
      pass(MINUTE);
    }
    await pins.set(mine, PIN);
    const refused = await errorOf(() => pins.reset(owner, 'ann'));
    expect([refused.code, refused.retryAfter]).toEqual(['RATE_LIMITED', 55 * 60]);
    expect(told.filter((one) => one.includes('reset')).length).toBe(5);
    pass(55 * MINUTE);
    pins.reset(owner, 'ann');
  });
});

it('changes nothing about a PIN where the user cannot be told', async () => {
  const { pins, session, owner, told } = openPins();
  const mine = session('one');
  await pins.set(mine, PIN);
  told.push('full');
  expect(() => pins.reset(owner, 'ann')).toThrow('no space');
  await expect(pins.set(mine, 'another one')).rejects.toThrow('no space');
  pins.check(at(mine));
  await pins.confirm(mine, PIN, 'here');
});

it('of two that change it at once one is refused', async () => {
  const { pins, session } = openPins();
  await pins.set(session('one'), PIN);
  const codes = await Promise.all(
    ['first one', 'second one'].map((pin) =>
      pins.set(session('one'), pin).then(
        () => 'done',
        ({ code }) => code,
      ),
    ),
  );
  expect(codes.sort()).toEqual(['PIN_REQUIRED', 'done']);
});
