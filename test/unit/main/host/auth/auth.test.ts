import { describe, expect, it } from 'vitest';
import { AuditEntry, AuthStatus } from '../../../../../src/contract/account.ts';
import type { AuditRecord } from '../../../../../src/main/host/auth/auth.ts';
import { cameFrom, codeOf, DAY, HOST_TOKEN, MINUTE, openAuth, PASSWORD, START } from './open-auth.ts';

const entry = (userId: string | null, at: number, more: Partial<AuditRecord> = {}): AuditRecord => ({
  at,
  userId,
  method: 'api_key',
  keyId: 'k',
  client: 'curl',
  operation: 'bots.deploy',
  target: 'bot_1',
  outcome: 'ok',
  durationMs: 1.25,
  ...more,
});

describe('host token', () => {
  it('is the local owner, whom the first start makes without a password', () => {
    const { auth, owner } = openAuth();
    expect(auth.listUsers()).toEqual([
      { user_id: owner, name: 'owner', role: 'owner', created_at: new Date(START).toISOString(), has_password: false },
    ]);
    expect(auth.authenticate(HOST_TOKEN)).toEqual({
      userId: owner,
      name: 'owner',
      role: 'owner',
      scope: 'full',
      botIds: null,
      extended: true,
      method: 'local',
      keyId: null,
      keyName: null,
      sessionId: null,
      expiresAt: null,
    });
  });

  it('makes no second owner at the next start', () => {
    const { dir, owner } = openAuth();
    const again = openAuth(dir);
    expect(again.owner).toBe(owner);
    expect(again.auth.listUsers()).toHaveLength(1);
  });

  it('counts only when it is exact', async () => {
    const { auth } = openAuth();
    for (const text of [HOST_TOKEN.slice(0, -1), `${HOST_TOKEN}0`, HOST_TOKEN.toUpperCase(), 'local_']) {
      expect(await codeOf(() => auth.authenticate(text)), text).toBe('INVALID_API_KEY');
    }
  });
});

describe('status', () => {
  it('says who asks and by what', async () => {
    const { auth, owner } = openAuth();
    const { key, key_id } = auth.createKey(owner, { name: 'monitor', scope: 'read' });
    const user = { user_id: owner, name: 'owner', role: 'owner' };
    const status = auth.status(auth.authenticate(key));
    expect(AuthStatus.parse(status)).toEqual(status);
    expect(status).toEqual({
      valid: true,
      user,
      scope: 'read',
      bots: null,
      method: 'api_key',
      key: { key_id, name: 'monitor' },
    });
    const local = auth.status(auth.authenticate(HOST_TOKEN));
    expect(local).toEqual({ valid: true, user, scope: 'full', bots: null, method: 'local', key: null });
    await auth.createUser({ name: 'ann', password: PASSWORD });
    const { token } = await auth.login({ name: 'ann', password: PASSWORD }, cameFrom('::1'));
    expect(auth.status(auth.authenticate(token))).toMatchObject({
      user: { role: 'user' },
      method: 'session',
      key: null,
    });
  });
});

describe('audit trail', () => {
  it('gives a user their own entries, newest first, in pages', () => {
    const { auth, owner } = openAuth();
    for (const n of [1, 2, 3]) auth.record(entry(owner, START + n, { target: `bot_${n}` }));
    auth.record(entry('somebody else', START));
    auth.record(entry(null, START, { method: 'none' }));
    const newest = auth.listAudit(owner, 2);
    expect(newest.map(({ target }) => target)).toEqual(['bot_3', 'bot_2']);
    expect(newest[0]).toEqual({
      audit_id: newest[0]?.audit_id,
      at: new Date(START + 3).toISOString(),
      user_id: owner,
      method: 'api_key',
      key_id: 'k',
      client: 'curl',
      operation: 'bots.deploy',
      target: 'bot_3',
      outcome: 'ok',
      duration_ms: 1.25,
      names: {},
    });
    const told = { ...newest[0], by: 'key curl', deed: 'deployed a bot' };
    expect(AuditEntry.parse(told)).toEqual(told);
    expect(auth.listAudit(owner, 10, newest[1]?.audit_id).map(({ target }) => target)).toEqual(['bot_1']);
  });

  it('stays when its user is removed', async () => {
    const { auth } = openAuth();
    const { user_id } = await auth.createUser({ name: 'ann', password: PASSWORD });
    auth.record(entry(user_id, START));
    auth.deleteUser(user_id);
    expect(auth.listAudit(user_id, 10)).toHaveLength(1);
  });
});

describe('prune', () => {
  it('removes what has expired and nothing else', async () => {
    const { auth, owner, clock, count } = openAuth();
    await auth.createUser({ name: 'ann', password: PASSWORD });
    await auth.login({ name: 'ann', password: PASSWORD }, cameFrom('::1'));
    auth.startDevice({ client: 'cli' }, 'http://host/connect', '192.0.2.1');
    auth.record(entry(owner, START));
    auth.record(entry(owner, START + 1));
    auth.prune();
    expect([count('session'), count('device_code'), count('audit')]).toEqual([1, 1, 2]);
    clock.now = START + 10 * MINUTE;
    auth.prune();
    expect([count('session'), count('device_code'), count('audit')]).toEqual([1, 0, 2]);
    clock.now = START + 30 * DAY;
    auth.prune();
    expect([count('session'), count('audit')]).toEqual([0, 2]);
    clock.now = START + 180 * DAY + 1;
    auth.prune();
    expect(auth.listAudit(owner, 10).map(({ at }) => at)).toEqual([new Date(START + 1).toISOString()]);
  });
});
