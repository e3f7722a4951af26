import { argon2Sync } from 'node:crypto';
import { expect, it } from 'vitest';
import { hashPassword, verifyNothing, verifyPassword } from '../../../../../src/main/host/auth/passwords.ts';

const PASSWORD = 'pässwörd of ann';

function phc(password: string, memory: number, passes: number, lanes: number): string {
  const nonce = Buffer.alloc(16, 7);
  const message = Buffer.from(password);
  const tag = argon2Sync('argon2id', { message, nonce, parallelism: lanes, tagLength: 24, memory, passes });
  const plain = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${plain(nonce)}$${plain(tag)}`;
}

it('stores argon2id with 19 MiB, two passes and a salt of its own', async () => {
  const [one, two] = await Promise.all([hashPassword(PASSWORD), hashPassword(PASSWORD)]);
  const parts = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;
  expect(one).toMatch(parts);
  expect(parts.exec(one)?.[1]).not.toBe(parts.exec(two)?.[1]);
});

it('takes the right password only', async () => {
  const stored = await hashPassword(PASSWORD);
  expect(await verifyPassword(PASSWORD, stored)).toBe(true);
  for (const wrong of ['', PASSWORD.toUpperCase(), `${PASSWORD} `, PASSWORD.slice(1)]) {
    expect(await verifyPassword(wrong, stored), wrong).toBe(false);
  }
  expect(await verifyNothing(PASSWORD)).toBe(false);
});

it('takes a letter as another keyboard composes it', async () => {
  expect(await verifyPassword(PASSWORD.normalize('NFD'), await hashPassword(PASSWORD.normalize('NFC')))).toBe(true);
});

it('checks with the parameters that were stored, not with those of today', async () => {
  const stored = phc('old times', 64, 3, 2);
  expect(await verifyPassword('old times', stored)).toBe(true);
  expect(await verifyPassword('new times', stored)).toBe(false);
  expect(await verifyPassword('old times', stored.replace('t=3', 't=2'))).toBe(false);
});

it('says so when a stored hash is damaged', async () => {
  await expect(verifyPassword(PASSWORD, 'plain text')).rejects.toThrow(/damaged/);
});

it('works on a few at once, lets some wait and refuses the rest at once', async () => {
  const stored = phc(PASSWORD, 64, 1, 1);
  const many = await Promise.allSettled(Array.from({ length: 80 }, () => verifyPassword(PASSWORD, stored)));
  const done = many.filter((one) => one.status === 'fulfilled' && one.value);
  const refused = many.filter((one) => one.status === 'rejected' && one.reason.code === 'RATE_LIMITED');
  expect([done.length, refused.length]).toEqual([66, 14]);
  expect(await verifyPassword(PASSWORD, stored)).toBe(true);
});
