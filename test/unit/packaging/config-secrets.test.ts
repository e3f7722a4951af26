import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/contract/errors.ts';
import {
  REDACTED,
  redactConfig,
  replaceSecrets,
  restoreRedacted,
  secretProperties,
} from '../../../src/packaging/config-secrets.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    symbol: { type: 'string' },
    pin: { type: 'integer', 'x-secret': true },
    pass: { type: 'string', format: 'password' },
    hidden: { type: 'string', writeOnly: true },
    accounts: { type: 'array', items: { $ref: '#/definitions/account' } },
    exchange: { oneOf: [{ type: 'string' }, { type: 'object', properties: { sign: { 'x-secret': true } } }] },
    bundle: { type: 'object', 'x-secret': true },
  },
  patternProperties: { '^wallet-': { format: 'password' } },
  definitions: { account: { type: 'object', properties: { id: {}, phrase: { allOf: [{ writeOnly: true }] } } } },
};

const CONFIG = {
  symbol: 'AAPL',
  pin: 4711,
  pass: 'p-value',
  hidden: 'h-value',
  accounts: [
    { id: 'one', phrase: 'ph-0' },
    { id: 'two', phrase: 'ph-1' },
  ],
  exchange: { sign: 's-value', fast: true },
  bundle: { a: 'b-a', list: ['b-l', 7], flag: true, empty: '' },
  'wallet-main': 'w-value',
  api_key: 'k-value',
  nested: { client_secret: 'c-value', password: 12, plain: 'visible' },
};

describe('references and sealed values', () => {
  const config = { pass: { $secret: 'KEY' }, pin: { $sealed: 'v1.pin' }, symbol: { $sealed: 'v1.symbol' } };

  it('shows the name of a secret, and nothing of what is sealed', () => {
    expect(redactConfig(SCHEMA, config)).toEqual({ pass: { $secret: 'KEY' }, pin: REDACTED, symbol: REDACTED });
    expect(secretProperties(SCHEMA, config)).toEqual([]);
  });

  it('keeps what is sealed where a client sends its mask or leaves it out, and takes a reference in its place', () => {
    expect(restoreRedacted(SCHEMA, { pin: REDACTED, pass: { $secret: 'OTHER' } }, config)).toEqual({
      pass: { $secret: 'OTHER' },
      pin: { $sealed: 'v1.pin' },
      symbol: { $sealed: 'v1.symbol' },
    });
    expect(restoreRedacted(SCHEMA, { pin: { $secret: 'PIN' } }, config).pin).toEqual({ $secret: 'PIN' });
  });

  it('replaces each secret in a copy', () => {
    const changed = replaceSecrets(SCHEMA, CONFIG, (value) => ({ was: value }));
    expect(changed).toMatchObject({ symbol: 'AAPL', pin: { was: 4711 }, api_key: { was: 'k-value' } });
    expect(CONFIG.pin).toBe(4711);
  });
});

describe('secretProperties', () => {
  it('finds marked ones everywhere, and those with telling names', () => {
    const found = secretProperties(SCHEMA, CONFIG).map(({ path, value }) => `${path.join('.')}=${value}`);
    expect(found).toEqual([
      'pin=4711',
      'pass=p-value',
      'hidden=h-value',
      'accounts.0.phrase=ph-0',
      'accounts.1.phrase=ph-1',
      'exchange.sign=s-value',
      'bundle.a=b-a',
      'bundle.list.0=b-l',
      'bundle.list.1=7',
      'wallet-main=w-value',
      'api_key=k-value',
      'nested.client_secret=c-value',
    ]);
  });

  it('ends for schemas that refer to themselves', () => {
    const schema = { type: 'object', properties: { n: { $ref: '#' }, key: { 'x-secret': true } } };
    expect(secretProperties(schema, { n: { n: { key: 'deep' } } })).toEqual([
      { path: ['n', 'n', 'key'], value: 'deep' },
    ]);
  });
});

describe('redactConfig', () => {
  it('hides every secret and nothing else, in a copy', () => {
    const redacted = redactConfig(SCHEMA, CONFIG);
    expect(redacted).toEqual({
      ...CONFIG,
      pin: REDACTED,
      pass: REDACTED,
      hidden: REDACTED,
      accounts: [
        { id: 'one', phrase: REDACTED },
        { id: 'two', phrase: REDACTED },
      ],
      exchange: { sign: REDACTED, fast: true },
      bundle: { a: REDACTED, list: [REDACTED, REDACTED], flag: true, empty: '' },
      'wallet-main': REDACTED,
      api_key: REDACTED,
      nested: { client_secret: REDACTED, password: 12, plain: 'visible' },
    });
    expect(CONFIG.pass).toBe('p-value');
    const text = JSON.stringify(redacted);
    for (const { value } of secretProperties(SCHEMA, CONFIG)) expect(text).not.toContain(JSON.stringify(value));
  });

  it('handles __proto__ as a key', () => {
    const config = JSON.parse('{"__proto__": {"api_key": "k"}}') as Record<string, unknown>;
    expect(JSON.stringify(redactConfig({ type: 'object' }, config))).toBe('{"__proto__":{"api_key":"********"}}');
  });
});

describe('restoreRedacted', () => {
  it('keeps secrets that a change does not mention, and takes away what is null', () => {
    expect(
      restoreRedacted(SCHEMA, { symbol: 'MSFT', pass: null }, { symbol: 'AAPL', pass: 'old', api_key: 'k' }),
    ).toEqual({
      symbol: 'MSFT',
      api_key: 'k',
    });
    expect(restoreRedacted(SCHEMA, { nested: {} }, { nested: { client_secret: 'c' } })).toEqual({
      nested: { client_secret: 'c' },
    });
  });

  it('keeps them inside objects that a change leaves out', () => {
    const stored = { symbol: 'AAPL', nested: { user: 'u', deep: { password: 'p', size: 1 }, api_key: 'k' } };
    expect(restoreRedacted(SCHEMA, { symbol: 'MSFT' }, stored)).toEqual({
      symbol: 'MSFT',
      nested: { deep: { password: 'p' }, api_key: 'k' },
    });
    expect(restoreRedacted(SCHEMA, { nested: { user: 'v', api_key: null } }, stored)).toEqual({
      nested: { user: 'v', deep: { password: 'p' } },
    });
  });

  it('leaves away an object that needs more than its secrets, or is none any more', () => {
    const stored = { db: { host: 'h', password: 'p' } };
    const db = { properties: { host: {}, password: {} }, required: ['host', 'password'] };
    const schema = { type: 'object', properties: { db: { type: 'object', ...db } } };
    expect(restoreRedacted(schema, {}, stored)).toEqual({});
    expect(restoreRedacted(schema, { db: { host: 'i' } }, stored)).toEqual({ db: { host: 'i', password: 'p' } });
    const alone = { type: 'object', properties: { db: { type: 'object', ...db, required: ['password'] } } };
    expect(restoreRedacted(alone, {}, stored)).toEqual({ db: { password: 'p' } });
    expect(restoreRedacted({ type: 'object', properties: { db: { type: 'string' } } }, {}, stored)).toEqual({});
  });

  it('keeps what is secret as a whole as it is', () => {
    const { accounts: _, bundle, ...rest } = CONFIG;
    expect(restoreRedacted(SCHEMA, { symbol: 'MSFT' }, CONFIG)).toMatchObject({ bundle });
    expect(restoreRedacted(SCHEMA, { bundle: { a: 'new' } }, { ...rest, bundle })).toMatchObject({
      bundle: { a: 'new', list: bundle.list },
    });
    expect(restoreRedacted(SCHEMA, {}, CONFIG)).not.toHaveProperty('accounts');
    expect(restoreRedacted(SCHEMA, {}, { api_keys: ['one', 'two'] })).toEqual({ api_keys: ['one', 'two'] });
  });

  it('loses them with the object that held them, where that is null or no object any more', () => {
    const stored = { nested: { deep: { password: 'p' }, api_key: 'k' } };
    expect(restoreRedacted(SCHEMA, { nested: null }, stored)).toEqual({});
    expect(restoreRedacted(SCHEMA, { nested: { deep: null } }, stored)).toEqual({ nested: { api_key: 'k' } });
    for (const nested of ['off', 5, false, []]) expect(restoreRedacted(SCHEMA, { nested }, stored)).toEqual({ nested });
  });

  it('keeps no secret that the schema no longer takes', () => {
    const narrow = { type: 'object', properties: { symbol: {} }, additionalProperties: false };
    expect(restoreRedacted(narrow, { symbol: 'A' }, { symbol: 'B', api_key: 'k' })).toEqual({ symbol: 'A' });
    expect(restoreRedacted(narrow, { symbol: 'A' }, { nested: { api_key: 'k' } })).toEqual({ symbol: 'A' });
  });

  it('is the way back, with changes kept', () => {
    const { accounts: _, bundle: __, ...named } = CONFIG;
    const sent = { ...redactConfig(SCHEMA, named), symbol: 'MSFT', pass: 'new' };
    expect(restoreRedacted(SCHEMA, sent, named)).toEqual({ ...named, symbol: 'MSFT', pass: 'new' });
  });

  it('puts nothing back into a list by its place', () => {
    const sent = { accounts: [{ id: 'two', phrase: REDACTED }] };
    expect(() => restoreRedacted(SCHEMA, sent, CONFIG)).toThrow(/^config\.accounts\.0\.phrase: is/);
    expect(restoreRedacted(SCHEMA, { accounts: [{ id: 'two' }] }, { accounts: CONFIG.accounts })).toEqual({
      accounts: [{ id: 'two' }],
    });
  });

  it('leaves the same text alone where nothing is secret', () => {
    expect(restoreRedacted(SCHEMA, { symbol: REDACTED }, CONFIG)).toMatchObject({ symbol: REDACTED });
  });

  it('refuses what has no stored value, by name', () => {
    const attempt = () => restoreRedacted(SCHEMA, { api_key: REDACTED, pass: REDACTED }, { pass: 'old' });
    expect(attempt).toThrow(PlatformError);
    expect(attempt).toThrow(/^config\.api_key: is "\*{8}"/);
  });
});
