import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/contract/errors.ts';
import { REDACTED, redactConfig } from '../../../src/packaging/config-secrets.ts';
import { keepStoredSecrets } from '../../../src/packaging/keep-stored-secrets.ts';
import { CONFIG, SCHEMA } from '../../support/secret-config.ts';

describe('keepStoredSecrets', () => {
  it('keeps secrets that a change does not mention, and takes away what is null', () => {
    expect(
      keepStoredSecrets(SCHEMA, { symbol: 'MSFT', pass: null }, { symbol: 'AAPL', pass: 'old', api_key: 'k' }),
    ).toEqual({
      symbol: 'MSFT',
      api_key: 'k',
    });
    expect(keepStoredSecrets(SCHEMA, { nested: {} }, { nested: { client_secret: 'c' } })).toEqual({
      nested: { client_secret: 'c' },
    });
  });

  it('keeps them inside objects that a change leaves out', () => {
    const stored = { symbol: 'AAPL', nested: { user: 'u', deep: { password: 'p', size: 1 }, api_key: 'k' } };
    expect(keepStoredSecrets(SCHEMA, { symbol: 'MSFT' }, stored)).toEqual({
      symbol: 'MSFT',
      nested: { deep: { password: 'p' }, api_key: 'k' },
    });
    expect(keepStoredSecrets(SCHEMA, { nested: { user: 'v', api_key: null } }, stored)).toEqual({
      nested: { user: 'v', deep: { password: 'p' } },
    });
  });

  it('leaves away an object that needs more than its secrets, or is none any more', () => {
    const stored = { db: { host: 'h', password: 'p' } };
    const db = { properties: { host: {}, password: {} }, required: ['host', 'password'] };
    const schema = { type: 'object', properties: { db: { type: 'object', ...db } } };
    expect(keepStoredSecrets(schema, {}, stored)).toEqual({});
    expect(keepStoredSecrets(schema, { db: { host: 'i' } }, stored)).toEqual({ db: { host: 'i', password: 'p' } });
    const alone = { type: 'object', properties: { db: { type: 'object', ...db, required: ['password'] } } };
    expect(keepStoredSecrets(alone, {}, stored)).toEqual({ db: { password: 'p' } });
    expect(keepStoredSecrets({ type: 'object', properties: { db: { type: 'string' } } }, {}, stored)).toEqual({});
  });

  it('keeps what is secret as a whole as it is', () => {
    const { accounts: _, bundle, ...rest } = CONFIG;
    expect(keepStoredSecrets(SCHEMA, { symbol: 'MSFT' }, CONFIG)).toMatchObject({ bundle });
    expect(keepStoredSecrets(SCHEMA, { bundle: { a: 'new' } }, { ...rest, bundle })).toMatchObject({
      bundle: { a: 'new', list: bundle.list },
    });
    expect(keepStoredSecrets(SCHEMA, {}, CONFIG)).not.toHaveProperty('accounts');
    expect(keepStoredSecrets(SCHEMA, {}, { api_keys: ['one', 'two'] })).toEqual({ api_keys: ['one', 'two'] });
  });

  it('loses them with the object that held them, where that is null or no object any more', () => {
    const stored = { nested: { deep: { password: 'p' }, api_key: 'k' } };
    expect(keepStoredSecrets(SCHEMA, { nested: null }, stored)).toEqual({});
    expect(keepStoredSecrets(SCHEMA, { nested: { deep: null } }, stored)).toEqual({ nested: { api_key: 'k' } });
    for (const nested of ['off', 5, false, []])
      expect(keepStoredSecrets(SCHEMA, { nested }, stored)).toEqual({ nested });
  });

  it('keeps no secret that the schema no longer takes', () => {
    const narrow = { type: 'object', properties: { symbol: {} }, additionalProperties: false };
    expect(keepStoredSecrets(narrow, { symbol: 'A' }, { symbol: 'B', api_key: 'k' })).toEqual({ symbol: 'A' });
    expect(keepStoredSecrets(narrow, { symbol: 'A' }, { nested: { api_key: 'k' } })).toEqual({ symbol: 'A' });
  });

  it('is the way back, with changes kept', () => {
    const { accounts: _, bundle: __, ...named } = CONFIG;
    const sent = { ...redactConfig(SCHEMA, named), symbol: 'MSFT', pass: 'new' };
    expect(keepStoredSecrets(SCHEMA, sent, named)).toEqual({ ...named, symbol: 'MSFT', pass: 'new' });
  });

  it('puts nothing back into a list by its place', () => {
    const sent = { accounts: [{ id: 'two', phrase: REDACTED }] };
    expect(() => keepStoredSecrets(SCHEMA, sent, CONFIG)).toThrow(/^config\.accounts\.0\.phrase: is/);
    expect(keepStoredSecrets(SCHEMA, { accounts: [{ id: 'two' }] }, { accounts: CONFIG.accounts })).toEqual({
      accounts: [{ id: 'two' }],
    });
  });

  it('leaves the same text alone where nothing is secret', () => {
    expect(keepStoredSecrets(SCHEMA, { symbol: REDACTED }, CONFIG)).toMatchObject({ symbol: REDACTED });
  });

  it('refuses what has no stored value, by name', () => {
    const attempt = () => keepStoredSecrets(SCHEMA, { api_key: REDACTED, pass: REDACTED }, { pass: 'old' });
    expect(attempt).toThrow(PlatformError);
    expect(attempt).toThrow(/^config\.api_key: is "\*{8}"/);
  });

  it('keeps what is sealed where a client sends its mask or leaves it out, and takes a reference in its place', () => {
    const config = { pass: { $secret: 'KEY' }, pin: { $sealed: 'v1.pin' }, symbol: { $sealed: 'v1.symbol' } };
    expect(keepStoredSecrets(SCHEMA, { pin: REDACTED, pass: { $secret: 'OTHER' } }, config)).toEqual({
      pass: { $secret: 'OTHER' },
      pin: { $sealed: 'v1.pin' },
      symbol: { $sealed: 'v1.symbol' },
    });
    expect(keepStoredSecrets(SCHEMA, { pin: { $secret: 'PIN' } }, config).pin).toEqual({ $secret: 'PIN' });
  });
});
