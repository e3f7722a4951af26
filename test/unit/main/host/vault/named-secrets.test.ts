import { describe, expect, it, onTestFinished } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import type { BotRow, BotStore } from '../../../../../src/main/host/control/bot-store.ts';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { createSecretStore } from '../../../../../src/main/host/control/secret-store.ts';
import { NamedSecrets } from '../../../../../src/main/host/vault/named-secrets.ts';
import { tempDir } from '../../../../support/temp.ts';
import { testBox } from '../../../../support/test-box.ts';

const codeOf = (code: string) => expect.objectContaining({ code });

function secretsHere() {
  const dir = tempDir();
  const db = openControlDatabase(`${dir}/control.db`, { backupDir: dir, now: () => 0 });
  onTestFinished(() => {
    db.close();
  });
  db.exec("insert into user values ('u1', 'a', 'owner', null, 0), ('u2', 'b', 'user', null, 0)");
  const rows: Pick<BotRow, 'botId' | 'name' | 'config'>[] = [];
  let again = 0;
  const trashed: Pick<BotRow, 'userId' | 'botId' | 'name' | 'config'>[] = [];
  const bots = {
    list: () => rows as unknown as BotRow[],
    trashed: () => trashed as unknown as BotRow[],
    readAgain: () => void again++,
  } satisfies Pick<BotStore, 'list' | 'trashed' | 'readAgain'>;
  const sealedError = () => new PlatformError('SECRETS_SEALED', 'sealed');
  const begin = (word: string) =>
    new NamedSecrets({ store: createSecretStore(db), vault: { ...testBox(word), sealedError }, bots, now: () => 7 });
  return { db, rows, trashed, begin, secrets: begin('here'), timesRead: () => again };
}

describe('NamedSecrets', () => {
  it('opens references for a program, at any depth, and names their values for masking', () => {
    const { secrets } = secretsHere();
    secrets.set('u1', { name: 'KEY', class: 'paper', value: 'k-1' }, 'a');
    secrets.set('u1', { name: 'PASS', class: 'live', value: 'p-1' }, 'a');
    const config = { venue: { key: { $secret: 'KEY' }, list: [{ $secret: 'PASS' }] }, symbol: 'BTC' };
    const opened = secrets.openConfig('u1', config);
    expect(opened.config).toEqual({ venue: { key: 'k-1', list: ['p-1'] }, symbol: 'BTC' });
    expect(opened).toMatchObject({ values: ['k-1', 'p-1'], isLive: true });
    expect(secrets.openConfig('u1', { key: { $secret: 'KEY' } }).isLive).toBe(false);
    expect(config.venue.key).toEqual({ $secret: 'KEY' });
  });

  it('keeps a secret for a bot in the trash, which must find it when it is restored', () => {
    const { secrets, trashed } = secretsHere();
    for (const user of ['u1', 'u2']) secrets.set(user, { name: 'KEY', class: 'paper', value: 'k-1' }, 'a');
    trashed.push({ userId: 'u1', botId: 'bot_1', name: 'sma', config: { key: { $secret: 'KEY' } } });
    expect(secrets.usedBy('u1', 'KEY')).toEqual([]);
    expect(() => secrets.remove('u1', 'KEY')).toThrow('The secret KEY is used by "sma (in the trash)"');
    secrets.remove('u2', 'KEY');
  });

  it('keeps the secrets of each user apart, and says which one is unknown', () => {
    const { secrets } = secretsHere();
    secrets.set('u1', { name: 'KEY', class: 'paper', value: 'k-1' }, 'a');
    expect(() => secrets.openConfig('u2', { key: { $secret: 'KEY' } })).toThrow(/no secret "KEY"/);
    expect(() => secrets.assertKnown('u1', { key: { $secret: 'key' } })).toThrow(codeOf('SECRET_NOT_FOUND'));
    expect(() => secrets.set('u1', { name: 'KEY', class: 'live', value: 'x' }, 'a')).toThrow(codeOf('NAME_TAKEN'));
    expect(secrets.list('u2')).toEqual([]);
    expect(JSON.stringify(secrets.list('u1'))).not.toContain('k-1');
  });

  it('rotates a value, has bots read again, and removes only what none uses', () => {
    const { secrets, rows, timesRead } = secretsHere();
    secrets.set('u1', { name: 'KEY', class: 'paper', value: 'k-1' }, 'a');
    rows.push({ botId: 'bot_1', name: 'sma', config: { a: [{ $secret: 'KEY' }] } });
    const before = timesRead();
    expect(secrets.rotate('u1', { name: 'KEY', value: 'k-2' }, 'b')).toMatchObject({
      created_by: 'a',
      rotated_by: 'b',
      used_by: [{ bot_id: 'bot_1', name: 'sma' }],
    });
    expect(timesRead()).toBe(before + 1);
    expect(secrets.openConfig('u1', { key: { $secret: 'KEY' } }).values).toEqual(['k-2']);
    expect(() => secrets.remove('u1', 'KEY')).toThrow(/used by "sma"/);
    rows.pop();
    secrets.remove('u1', 'KEY');
    expect(() => secrets.usedBy('u1', 'KEY')).toThrow(codeOf('SECRET_NOT_FOUND'));
  });

  it('is sealed without the key, and opens no text of another record', () => {
    const { db, secrets, begin } = secretsHere();
    secrets.set('u1', { name: 'KEY', class: 'paper', value: 'k-1' }, 'a');
    secrets.set('u1', { name: 'OTHER', class: 'paper', value: 'o-1' }, 'a');
    const elsewhere = begin('elsewhere');
    expect(elsewhere.list('u1')[0]).toMatchObject({ name: 'KEY', opens: false });
    expect(() => elsewhere.openConfig('u1', { key: { $secret: 'KEY' } })).toThrow(codeOf('SECRETS_SEALED'));
    expect(() => secrets.openConfig('u1', { key: { $sealed: 'v1.x' } })).toThrow(codeOf('SECRETS_SEALED'));
    db.exec("update secret set sealed = (select sealed from secret where name = 'OTHER') where name = 'KEY'");
    expect(() => secrets.openConfig('u1', { key: { $secret: 'KEY' } })).toThrow(codeOf('SECRETS_SEALED'));
  });
});
