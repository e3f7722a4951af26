import { describe, expect, it } from 'vitest';
import {
  paramsJson,
  paramsQuery,
  paramTexts,
  paramVariables,
} from '../../../../../src/main/host/query/query-params.ts';

const texts = paramTexts(
  JSON.parse('{"s":"a b","n":1.50,"t":true,"z":null,"o":{"x":[1]},"__proto__":"p","no-name":"&=","1x":""}'),
);

describe('query parameters', () => {
  it('are strings, others as their JSON text', () => {
    expect([...texts]).toEqual([
      ['s', 'a b'],
      ['n', '1.5'],
      ['t', 'true'],
      ['z', 'null'],
      ['o', '{"x":[1]}'],
      ['__proto__', 'p'],
      ['no-name', '&='],
      ['1x', ''],
    ]);
  });

  it('make one JSON object of strings', () => {
    expect(paramsJson(texts)).toBe(
      '{"s":"a b","n":"1.5","t":"true","z":"null","o":"{\\"x\\":[1]}","__proto__":"p","no-name":"&=","1x":""}',
    );
    expect(paramsJson(new Map())).toBe('{}');
    expect(() => paramsJson(new Map([['x', 'x'.repeat(65_530)]]))).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    );
  });

  it('make a query string without plus signs', () => {
    expect(paramsQuery(texts)).toBe(
      's=a%20b&n=1.5&t=true&z=null&o=%7B%22x%22%3A%5B1%5D%7D&__proto__=p&no-name=%26%3D&1x=',
    );
    expect(paramsQuery(new Map([['x', '\ud800']]))).toBe('x=%EF%BF%BD');
  });

  it('make variables of those that can be one', () => {
    expect(paramVariables(new Map([...texts, ['nul', 'a\0b']]))).toEqual({
      QUERY_PARAM_s: 'a b',
      QUERY_PARAM_n: '1.5',
      QUERY_PARAM_t: 'true',
      QUERY_PARAM_z: 'null',
      QUERY_PARAM_o: '{"x":[1]}',
      QUERY_PARAM___proto__: 'p',
    });
  });
});
