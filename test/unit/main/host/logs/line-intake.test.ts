import { describe, expect, it } from 'vitest';
import { storeText } from '../../../../support/stored-text.ts';

const VALUE = 'S3cr3t-Value-1234567890';
const store = storeText([VALUE]);

describe('of a metric no secret is stored', () => {
  it.each([
    ['in a text of it', `{"_metric":"a","note":"x ${VALUE}"}`, `a {"_metric":"a","note":"x ***"} `],
    ['in its type', `{"_metric":"x ${VALUE}","value":1}`, `x *** {"_metric":"x ***","value":1} `],
    ['in its symbol', `{"_metric":"a","symbol":"${VALUE}"}`, `a {"_metric":"a","symbol":"***"} ***`],
    ['in the name of a value', `{"_metric":"a","${VALUE}":1}`, `a {"_metric":"a","***":1} `],
    ['in the first of two values of one name', `{"_metric":"a","n":"${VALUE}","n":1}`, `a {"_metric":"a","n":1} `],
    ['in letters that are escaped', `{"_metric":"a","n":"\\u0053${VALUE.slice(1)}"}`, `a {"_metric":"a","n":"***"} `],
  ])('%s', (_where, line, stored) => {
    expect(store(line)).toBe(stored);
  });

  it.each([
    ['letters', [...VALUE], ['***']],
    ['bytes behind a time', [1_700_000_000, ...Buffer.from(VALUE)], [1_700_000_000, '***']],
    ['groups before another item', [...(VALUE.match(/.{1,4}/g) ?? []), 1], ['***', 1]],
  ])('in %s of a list', (_where, list, stored) => {
    expect(store(JSON.stringify({ _metric: 'a', list }))).toBe(`a ${JSON.stringify({ _metric: 'a', list: stored })} `);
  });

  it('in the items of a Uint8Array that stand beside its message', () => {
    const stored = store(JSON.stringify({ level: 'info', message: 'hi', ...Buffer.from(VALUE) }));
    expect(stored).toContain('"0":"***","1":"***"');
    expect(stored).toContain('hi');
  });

  it('and one without is stored as it was written', () => {
    expect(store('{"_metric": "a",  "n": 1.50, "token": "BTC"}')).toBe(
      'a {"_metric": "a",  "n": 1.50, "token": "BTC"} ',
    );
  });
});
