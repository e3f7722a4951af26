import { describe, expect, it } from 'vitest';
import { DeviceCode } from '../../../../../src/contract/account.ts';
import { bytesOf, codeOf, DAY, errorOf, MINUTE, openAuth, PASSWORD, SECOND, START } from './open-auth.ts';

const URL = 'http://host:4747/connect';

describe('log-in by device code', () => {
  it('starts with a code that can be read aloud', () => {
    const { auth } = openAuth();
    const started = auth.startDevice({ client: 'cli on mac' }, URL, '192.0.2.1');
    expect(DeviceCode.parse(started)).toEqual(started);
    expect(started).toMatchObject({ interval_sec: 2, approve_url: `${URL}?code=${started.user_code}` });
    expect(started.expires_at).toBe(new Date(START + 10 * MINUTE).toISOString());
    const codes = Array.from({ length: 80 }, () => auth.startDevice({ client: 'cli' }, URL, '192.0.2.1').user_code);
    // No vowels, and nothing that looks like another: 0 O, 1 I L are told apart by leaving all digits and I, O out.
    for (const code of codes) expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(new Set(codes)).toHaveLength(80);
  });

  it('hands a key of the approver out exactly once', async () => {
    const { auth, count } = openAuth();
    const ann = await auth.createUser({ name: 'ann', password: PASSWORD });
    const { device_code, user_code } = auth.startDevice({ client: 'cli on mac' }, URL, '192.0.2.1');
    expect(auth.pollDevice(device_code)).toEqual({ status: 'pending', key: null });
    expect(auth.listKeys(ann.user_id)).toEqual([]);
    auth.approveDevice(ann.user_id, { user_code: user_code });
    expect(auth.listKeys(ann.user_id)).toEqual([]);
    const { status, key } = auth.pollDevice(device_code);
    expect(status).toBe('approved');
    expect(auth.authenticate(key)).toMatchObject({ userId: ann.user_id, keyName: 'cli on mac', scope: 'deploy' });
    expect(count('device_code')).toBe(0);
    expect(await codeOf(() => auth.pollDevice(device_code))).toBe('INVALID_CREDENTIALS');
    expect(await codeOf(() => auth.approveDevice(ann.user_id, { user_code: user_code }))).toBe('INVALID_CREDENTIALS');
    expect(auth.listKeys(ann.user_id)).toHaveLength(1);
  });

  it('takes the code as a person types it', () => {
    const { auth, owner } = openAuth();
    for (const typed of [
      (code: string) => code.toLowerCase(),
      (code: string) => code.replace('-', ''),
      (code: string) => ` ${code.replace('-', ' ')} `,
    ]) {
      const { device_code, user_code } = auth.startDevice({ client: 'cli' }, URL, '192.0.2.1');
      auth.approveDevice(owner, { user_code: typed(user_code) });
      expect(auth.pollDevice(device_code).status).toBe('approved');
    }
  });

  it('keeps the first approver', async () => {
    const { auth, owner } = openAuth();
    const ann = await auth.createUser({ name: 'ann', password: PASSWORD });
    const { device_code, user_code } = auth.startDevice({ client: 'cli' }, URL, '192.0.2.1');
    auth.approveDevice(ann.user_id, { user_code: user_code });
    auth.approveDevice(ann.user_id, { user_code: user_code });
    expect(await codeOf(() => auth.approveDevice(owner, { user_code: user_code }))).toBe('INVALID_CREDENTIALS');
    expect(auth.authenticate(auth.pollDevice(device_code).key).userId).toBe(ann.user_id);
  });

  it('ends after ten minutes, approved or not', async () => {
    const { auth, owner, clock } = openAuth();
    const approved = auth.startDevice({ client: 'cli' }, URL, '192.0.2.1');
    const pending = auth.startDevice({ client: 'cli' }, URL, '192.0.2.1');
    auth.approveDevice(owner, { user_code: approved.user_code });
    clock.now = START + 10 * MINUTE - 1;
    expect(auth.pollDevice(pending.device_code).status).toBe('pending');
    clock.now = START + 10 * MINUTE;
    expect(await codeOf(() => auth.pollDevice(pending.device_code))).toBe('INVALID_CREDENTIALS');
    expect(await codeOf(() => auth.pollDevice(approved.device_code))).toBe('INVALID_CREDENTIALS');
    expect(await codeOf(() => auth.approveDevice(owner, { user_code: pending.user_code }))).toBe('INVALID_CREDENTIALS');
    expect(auth.listKeys(owner)).toEqual([]);
  });

  it('refuses codes that nobody was given, and the user code in place of the device code', async () => {
    const { auth } = openAuth();
    const { user_code } = auth.startDevice({ client: 'cli' }, URL, '192.0.2.1');
    for (const code of ['', 'x', user_code]) {
      expect(await codeOf(() => auth.pollDevice(code))).toBe('INVALID_CREDENTIALS');
    }
  });

  it('never stores the device code', () => {
    const { auth, dir } = openAuth();
    const { device_code, user_code } = auth.startDevice({ client: 'cli' }, URL, '192.0.2.1');
    expect(bytesOf(dir)).toContain(user_code.replace('-', ''));
    expect(bytesOf(dir)).not.toContain(device_code);
  });

  it('ends with its approver', async () => {
    const { auth } = openAuth();
    const ann = await auth.createUser({ name: 'ann', password: PASSWORD });
    const { device_code, user_code } = auth.startDevice({ client: 'cli' }, URL, '192.0.2.1');
    auth.approveDevice(ann.user_id, { user_code: user_code });
    auth.deleteUser(ann.user_id);
    expect(await codeOf(() => auth.pollDevice(device_code))).toBe('INVALID_CREDENTIALS');
  });

  it('lets nobody guess codes, and codes of their own do not help', async () => {
    const { auth, owner, clock } = openAuth();
    const ann = await auth.createUser({ name: 'ann', password: PASSWORD });
    const guess = () => codeOf(() => auth.approveDevice(ann.user_id, { user_code: 'BBBB-BBBB' }));
    for (let n = 0; n < 4; n++) expect(await guess()).toBe('INVALID_CREDENTIALS');
    auth.approveDevice(ann.user_id, { user_code: auth.startDevice({ client: 'own' }, URL, '192.0.2.1').user_code });
    expect(await guess()).toBe('INVALID_CREDENTIALS');
    const { user_code } = auth.startDevice({ client: 'cli' }, URL, '192.0.2.1');
    const refused = await errorOf(() => auth.approveDevice(ann.user_id, { user_code: user_code }));
    expect([refused.code, refused.retryAfter]).toEqual(['RATE_LIMITED', 2]);
    auth.approveDevice(owner, { user_code: user_code });
    clock.now += 2 * SECOND;
    auth.approveDevice(ann.user_id, { user_code: auth.startDevice({ client: 'own' }, URL, '192.0.2.1').user_code });
  });

  it('keeps the newest of each source, and lets no source push out those of another', async () => {
    const { auth, owner, clock } = openAuth();
    const mine = auth.startDevice({ client: 'mine' }, URL, '192.0.2.1');
    const approved = auth.startDevice({ client: 'approved' }, URL, '192.0.2.2');
    auth.approveDevice(owner, { user_code: approved.user_code });
    const begun = Array.from({ length: 300 }, () => auth.startDevice({ client: 'flood' }, URL, '192.0.2.2'));
    const states = begun.map(({ device_code }) => codeOf(() => auth.pollDevice(device_code)).catch(() => 'pending'));
    expect((await Promise.all(states)).filter((state) => state === 'pending')).toHaveLength(20);
    // From many sources: the one with the most gives way.
    for (let n = 0; n < 190; n++) auth.startDevice({ client: 'flood' }, URL, `198.51.100.${n}`);
    for (let n = 0; n < 19; n++) auth.startDevice({ client: 'flood' }, URL, '192.0.2.2');
    expect(auth.pollDevice(approved.device_code).status).toBe('approved');
    clock.now += SECOND;
    const late = auth.startDevice({ client: 'late' }, URL, '192.0.2.1');
    for (const one of [late, mine]) {
      auth.approveDevice(owner, { user_code: one.user_code });
      expect(auth.pollDevice(one.device_code).status).toBe('approved');
    }
  });

  it('gives a key that runs bots and ends after 90 days, unless its approver says otherwise', async () => {
    const { auth, owner, clock } = openAuth();
    const keyOf = (over: object) => {
      const { device_code, user_code } = auth.startDevice({ client: 'cli' }, URL, '192.0.2.1');
      const told = auth.approveDevice(owner, { user_code, ...over });
      expect(told).toMatchObject({ client: 'cli', source: '192.0.2.1' });
      return auth.pollDevice(device_code).key;
    };
    const usual = keyOf({});
    const chosen = keyOf({ scope: 'read', expires_in_days: 1 });
    const endless = keyOf({ scope: 'full', expires_in_days: null });
    expect(auth.authenticate(usual)).toMatchObject({ scope: 'deploy', expiresAt: START + 90 * DAY });
    expect(auth.authenticate(chosen)).toMatchObject({ scope: 'read', expiresAt: START + DAY });
    expect(auth.authenticate(endless)).toMatchObject({ scope: 'full', expiresAt: null });
    clock.now = START + 90 * DAY;
    expect(await codeOf(() => auth.authenticate(usual))).toBe('INVALID_API_KEY');
  });

  it('keeps what its approver chose first', () => {
    const { auth, owner } = openAuth();
    const { device_code, user_code } = auth.startDevice({ client: 'cli' }, URL, '192.0.2.1');
    auth.approveDevice(owner, { user_code, scope: 'read', expires_in_days: 7 });
    expect(auth.approveDevice(owner, { user_code, scope: 'full', expires_in_days: null })).toMatchObject({
      scope: 'read',
      expires_in_days: 7,
    });
    expect(auth.authenticate(auth.pollDevice(device_code).key)).toMatchObject({ scope: 'read' });
  });
});
