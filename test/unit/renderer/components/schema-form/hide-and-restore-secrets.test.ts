import { describe, expect, it } from 'vitest';
import {
  hideSecrets,
  withHidden,
} from '../../../../../src/renderer/components/schema-form/hide-and-restore-secrets.ts';
import { toNumber } from '../../../../../src/renderer/components/schema-form/parse-number.ts';

describe('what is shown and typed', () => {
  it('hides secrets at any depth', () => {
    const schema = {
      properties: {
        api_key: {},
        pin: { type: 'integer', 'x-secret': true },
        account: { properties: { password: { type: 'string' } } },
      },
    };
    const token = { $secret: 'TOKEN' };
    const config = { api_key: 'abc', pin: 1234, account: { password: 'x', name: 'ada' }, empty: '', token };
    expect(hideSecrets(schema, config)).toEqual({
      api_key: '********',
      pin: '********',
      account: { password: '********', name: 'ada' },
      empty: '',
      token,
    });
  });

  it('puts back what it has hidden, and nothing else', () => {
    const before = { api_key: 'abc', list: [{ password: 'x' }], stored: '********' };
    const after = { api_key: '********', list: [{ password: '********' }], stored: '********', other: '********' };
    expect(withHidden(after, before)).toEqual({
      api_key: 'abc',
      list: [{ password: 'x' }],
      stored: '********',
      other: '********',
    });
    expect(withHidden({ api_key: 'new' }, before)).toEqual({ api_key: 'new' });
  });

  it('reads numbers as they are typed', () => {
    expect(['5', ' 1.50 ', '-2', '1e3', '.5'].map(toNumber)).toEqual([5, 1.5, -2, 1000, 0.5]);
    expect(['', '  '].map(toNumber)).toEqual([undefined, undefined]);
    expect(['-', '1,5', '0x10', 'Infinity', 'abc'].map(toNumber)).toEqual(['-', '1,5', '0x10', 'Infinity', 'abc']);
  });
});
