import { describe, expect, it } from 'vitest';
import { REDACTED, redactConfig, replaceSecrets, secretProperties } from '../../../src/packaging/config-secrets.ts';
import { CONFIG, SCHEMA } from '../../support/secret-config.ts';

describe('references and sealed values', () => {
  const config = { pass: { $secret: 'KEY' }, pin: { $sealed: 'v1.pin' }, symbol: { $sealed: 'v1.symbol' } };

  it('shows the name of a secret, and nothing of what is sealed', () => {
    expect(redactConfig(SCHEMA, config)).toEqual({ pass: { $secret: 'KEY' }, pin: REDACTED, symbol: REDACTED });
    expect(secretProperties(SCHEMA, config)).toEqual([]);
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
