import { expect, it } from 'vitest';
import { HostAlarms } from '../../../../../src/main/host/alarms/host-events.ts';
import { createAuth, type Gained } from '../../../../../src/main/host/auth/auth.ts';
import { createAuthStore } from '../../../../../src/main/host/control/auth-store.ts';
import { alarmsHere } from '../../../../support/alarms-here.ts';
import { noWishes } from '../../../../support/no-wishes.ts';

/** Log-ins and keys over the database of alarms, as a host has them. */
function accounts() {
  const here = alarmsHere();
  const onError = (where: string, error: unknown): void => void here.errors.push([where, error]);
  const now = (): number => here.clock.ms;
  const newId = (prefix: string): string => here.ids.next(prefix);
  const ofHost = new HostAlarms({ store: here.store, outbox: here.alarms.outbox, newId, now, onError });
  const auth = createAuth({ store: createAuthStore(here.db, noWishes()), now, hostToken: 'local_x', onError });
  const listen = (then: (gained: Gained) => void = () => undefined): void =>
    auth.onGained((gained) => {
      ofHost.raiseWith(gained.userId, `access:${gained.id}`, { event: 'new_access', title: gained.by, text: '' });
      then(gained);
    });
  listen();
  const { user_id: userId } = auth.listUsers()[0] ?? { user_id: '' };
  const count = (table: string): unknown => here.db.prepare(`select count(*) from ${table}`).pluck().get();
  const told = (): string[] => here.alarms.log(userId, { botId: null }).items.map(({ title }) => title);
  return { here, auth, userId, count, told, listen };
}

it('tells of each way to act as somebody', async () => {
  const { auth, userId, told } = accounts();
  const origin = { source: '127.0.0.1', client: null, known: null };
  auth.enter(auth.makeLink(userId, 'http://host').url.split('#enter=')[1] ?? '', origin);
  auth.createKey(userId, { name: 'ci' });
  const code = auth.startDevice({ client: 'cli' }, 'http://host/approve', '127.0.0.1');
  auth.approveDevice(userId, { user_code: code.user_code });
  auth.pollDevice(code.device_code);
  expect(told()).toEqual(['code', 'key', 'link']);
});

it('stores a session or key together with its message, or neither', () => {
  const { auth, userId, count, told, listen } = accounts();
  listen(() => {
    expect(count('api_key')).toBe(1);
    expect(told()).toEqual(['key']);
    throw new Error('the host dies here');
  });
  expect(() => auth.createKey(userId, { name: 'ci' })).toThrow('the host dies here');
  expect(count('api_key')).toBe(0);
  expect(told()).toEqual([]);
});

it('lets a person in although their alarms have a fault, and keeps nothing half of them', () => {
  const { here, auth, userId, count, told } = accounts();
  here.db.exec("create trigger broken before insert on alarm begin select raise(abort, 'a fault'); end");
  auth.createKey(userId, { name: 'ci' });
  expect(count('api_key')).toBe(1);
  expect(told()).toEqual([]);
  expect(here.errors).toHaveLength(1);
});
