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

  it('and one without is stored as it was written', () => {
    expect(store('{"_metric": "a",  "n": 1.50, "token": "BTC"}')).toBe(
      'a {"_metric": "a",  "n": 1.50, "token": "BTC"} ',
    );
  });
});
