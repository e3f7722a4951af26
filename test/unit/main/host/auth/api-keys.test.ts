import { describe, expect, it } from 'vitest';
import { ApiKey, NewApiKey } from '../../../../../src/contract/account.ts';
import { bytesOf, codeOf, DAY, HOST_TOKEN, MINUTE, openAuth, PASSWORD, START } from './open-auth.ts';

const ABSENT = 'zzzzzzzzzzzz';

/** The same text with one character changed, which stays a well-formed token. */
function changed(token: string, at: number): string {
  const index = at < 0 ? token.length + at : at;
  return `${token.slice(0, index)}${token[index] === 'b' ? 'c' : 'b'}${token.slice(index + 1)}`;
}

describe('API keys', () => {
  it('are plat_ + public id + 256 bits and tell who asks', () => {
    const { auth, owner } = openAuth();
    const made = auth.createKey(owner, { name: 'laptop' });
    expect(NewApiKey.parse(made)).toEqual(made);
    const [, id, secret = ''] = /^plat_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/.exec(made.key) ?? [];
    expect(id).toBe(made.key_id);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(auth.authenticate(made.key)).toEqual({
      userId: owner,
      name: 'owner',
      role: 'owner',
      scope: 'full',
      botIds: null,
      extended: false,
      method: 'api_key',
      keyId: made.key_id,
      keyName: 'laptop',
      sessionId: null,
      expiresAt: null,
    });
    expect(auth.createKey(owner, { name: 'laptop' }).key).not.toBe(made.key);
  });

  it('are found again although the secret may hold the separator', () => {
    const { auth, owner } = openAuth();
    const keys = Array.from({ length: 60 }, (_, n) => auth.createKey(owner, { name: `key ${n}` }));
    expect(keys.some(({ key }) => key.slice('plat_'.length + 13).includes('_'))).toBe(true);
    for (const { key, key_id } of keys) expect(auth.authenticate(key).keyId).toBe(key_id);
  });

  it('keep the read scope', () => {
    const { auth, owner } = openAuth();
    const { key } = auth.createKey(owner, { name: 'monitor', scope: 'read' });
    expect(auth.authenticate(key).scope).toBe('read');
  });

  it('fail alike whatever is wrong with them', async () => {
    const { auth, owner } = openAuth();
    const { key, key_id } = auth.createKey(owner, { name: 'laptop' });
    const wrong = [
      changed(key, -10),
      changed(key, 7),
      key.replace(key_id, ABSENT),
      key.toUpperCase(),
      `${key} `,
      `${key}A`,
      key.slice(0, -1),
      key.replace('plat_', 'sess_'),
      key.replace(`${key_id}_`, `${key_id}-`),
      key.slice('plat_'.length),
      'plat_',
      'plat__',
      'Basic b3duZXI6',
      ' ',
      'x'.repeat(100_000),
    ];
    for (const text of wrong)
      expect(await codeOf(() => auth.authenticate(text)), text.slice(0, 80)).toBe('INVALID_API_KEY');
    expect(await codeOf(() => auth.authenticate(null))).toBe('AUTHENTICATION_REQUIRED');
    expect(await codeOf(() => auth.authenticate(''))).toBe('AUTHENTICATION_REQUIRED');
  });

  it('never stand in the database with their secret', () => {
    const { auth, owner, dir } = openAuth();
    const { key, key_id } = auth.createKey(owner, { name: 'laptop' });
    const secret = key.slice(-43);
    const bytes = bytesOf(dir);
    expect(bytes).toContain(key_id);
    expect(bytes).not.toContain(secret);
    expect(bytes).not.toContain(Buffer.from(secret, 'base64url').toString('latin1'));
    expect(bytes).not.toContain(HOST_TOKEN);
    const { key: _, ...shown } = auth.createKey(owner, { name: 'other' });
    expect(auth.getKey(owner, shown.key_id)).toEqual(shown);
  });

  it('end when they are revoked, and stay listed', async () => {
    const { auth, owner, clock } = openAuth();
    const { key, key_id } = auth.createKey(owner, { name: 'laptop' });
    auth.revokeKey(owner, key_id);
    expect(await codeOf(() => auth.authenticate(key))).toBe('INVALID_API_KEY');
    const revoked = new Date(clock.now).toISOString();
    expect(auth.getKey(owner, key_id).revoked_at).toBe(revoked);
    clock.now += DAY;
    auth.revokeKey(owner, key_id);
    expect(auth.listKeys(owner)).toMatchObject([{ key_id, revoked_at: revoked }]);
  });

  it('end on the day they were made to', async () => {
    const { auth, owner, clock } = openAuth();
    const { key, expires_at } = auth.createKey(owner, { name: 'week', expires_in_days: 7 });
    expect(expires_at).toBe(new Date(START + 7 * DAY).toISOString());
    clock.now = START + 7 * DAY - 1;
    expect(auth.authenticate(key).userId).toBe(owner);
    clock.now = START + 7 * DAY;
    expect(await codeOf(() => auth.authenticate(key))).toBe('INVALID_API_KEY');
  });

  it('note their last use at most once a minute', () => {
    const { auth, owner, clock } = openAuth();
    const { key, key_id } = auth.createKey(owner, { name: 'laptop' });
    const lastUsed = (): string | null => auth.getKey(owner, key_id).last_used_at;
    expect(lastUsed()).toBeNull();
    auth.authenticate(key);
    expect(lastUsed()).toBe(new Date(START).toISOString());
    clock.now = START + MINUTE - 1000;
    auth.authenticate(key);
    expect(lastUsed()).toBe(new Date(START).toISOString());
    clock.now = START + MINUTE;
    auth.authenticate(key);
    expect(lastUsed()).toBe(new Date(START + MINUTE).toISOString());
  });

  it('do not note a use that failed', async () => {
    const { auth, owner } = openAuth();
    const { key, key_id } = auth.createKey(owner, { name: 'laptop' });
    await codeOf(() => auth.authenticate(changed(key, -10)));
    expect(auth.getKey(owner, key_id).last_used_at).toBeNull();
  });

  it("of another user are not there, with the words for a key that isn't", async () => {
    const { auth, owner } = openAuth();
    const other = await auth.createUser({ name: 'other', password: PASSWORD });
    const { key, key_id } = auth.createKey(owner, { name: 'laptop' });
    expect(auth.listKeys(other.user_id)).toEqual([]);
    for (const id of [key_id, ABSENT, '']) {
      expect(await codeOf(() => auth.getKey(other.user_id, id))).toBe('KEY_NOT_FOUND');
      expect(await codeOf(() => auth.revokeKey(other.user_id, id))).toBe('KEY_NOT_FOUND');
    }
    expect(auth.authenticate(key).userId).toBe(owner);
    expect(auth.listKeys(owner).map((one) => ApiKey.parse(one).key_id)).toEqual([key_id]);
  });

  it('go with their user', async () => {
    const { auth } = openAuth();
    const { user_id } = await auth.createUser({ name: 'other', password: PASSWORD });
    const { key } = auth.createKey(user_id, { name: 'laptop' });
    auth.deleteUser(user_id);
    expect(await codeOf(() => auth.authenticate(key))).toBe('INVALID_API_KEY');
  });

  it('are those of before after the host was opened again', () => {
    const first = openAuth();
    const { key } = first.auth.createKey(first.owner, { name: 'laptop' });
    const second = openAuth(first.dir);
    expect(second.auth.authenticate(key).userId).toBe(first.owner);
  });
});
