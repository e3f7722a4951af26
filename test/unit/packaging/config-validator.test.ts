import { describe, expect, it } from 'vitest';
import { compileConfigSchema } from '../../../src/packaging/config-validator.ts';

const SMA = {
  type: 'object',
  properties: {
    symbol: { type: 'string', description: 'Ticker symbol', default: 'AAPL', minLength: 1 },
    short_period: { type: 'integer', default: 5, minimum: 2, maximum: 50 },
    long_period: { type: 'integer', default: 20, minimum: 5, maximum: 200 },
    update_interval_ms: { type: 'integer', default: 60_000, minimum: 30_000, maximum: 3_600_000 },
  },
  additionalProperties: false,
};

const said = (schema: Record<string, unknown>, config: unknown) =>
  compileConfigSchema(schema)
    .validate(config)
    .problems.map(({ path, message }) => `${path} ${message}`);

describe('patterns', () => {
  it('count each for its own setting, however many a schema has', () => {
    const schema = {
      type: 'object',
      properties: { symbol: { type: 'string', pattern: '^[A-Z]+$' }, account: { type: 'string', pattern: '^[0-9]+$' } },
      patternProperties: { '^x_': { type: 'integer' }, '^y_': { type: 'boolean' } },
    };
    expect(said(schema, { symbol: 'AAPL', account: '123', x_size: 1, y_on: true })).toEqual([]);
    expect(said(schema, { symbol: 'AAPL', account: 'ABC' })).toHaveLength(1);
    expect(said(schema, { symbol: '123', account: '123' })).toHaveLength(1);
    expect(said(schema, { y_on: 1 })).toHaveLength(1);
    expect(said(schema, { x_size: true })).toHaveLength(1);
  });
});

describe('references to secrets', () => {
  const schema = {
    type: 'object',
    properties: {
      login: { type: 'string', pattern: '^x$', maxLength: 1, enum: ['x'] },
      either: { anyOf: [{ type: 'string', minLength: 99 }, { type: 'null' }] },
      count: { type: 'integer', default: 1 },
      list: { type: 'array', items: { type: 'string', format: 'email' } },
    },
  };
  const secret = { $secret: 'KEY' };

  it('count as a text of which nothing is known, and stay as they are', () => {
    const config = { login: secret, either: secret, list: [secret, { $sealed: 'v1.x' }] };
    const { effective, problems } = compileConfigSchema(schema).validate(config);
    expect(problems).toEqual([]);
    expect(effective).toEqual({ ...config, count: 1 });
  });

  it('are refused where no text may stand, and hide no problem of another setting', () => {
    expect(said(schema, { count: secret })).toEqual([expect.stringMatching(/^config.count must be (a|an) /)]);
    expect(said(schema, { login: 'y', list: [secret, 'no address'] })).toHaveLength(3);
    expect(said({ type: 'object', additionalProperties: false }, { login: secret })).toHaveLength(1);
    expect(said(schema, { login: { $secret: 'KEY', more: 1 } })).not.toEqual([]);
  });
});

describe('defaults', () => {
  it('fill what is left out, and nothing else', () => {
    const config = { short_period: 3 };
    const { effective, problems } = compileConfigSchema(SMA).validate(config);
    expect(problems).toEqual([]);
    expect(effective).toEqual({ short_period: 3, symbol: 'AAPL', long_period: 20, update_interval_ms: 60_000 });
    expect(config).toEqual({ short_period: 3 });
  });

  it('reach into objects, lists and references, and into defaults', () => {
    const schema = {
      type: 'object',
      properties: {
        risk: { type: 'object', default: {}, properties: { max: { default: 10 } } },
        legs: { type: 'array', items: { $ref: '#/definitions/leg' } },
        plain: { type: 'object', properties: { x: { default: 1 } } },
      },
      definitions: { leg: { allOf: [{ type: 'object', properties: { ratio: { default: 1 } } }] } },
    };
    expect(compileConfigSchema(schema).validate({ legs: [{}, { ratio: 2 }] }).effective).toEqual({
      risk: { max: 10 },
      legs: [{ ratio: 1 }, { ratio: 2 }],
    });
  });

  it('belong to nobody: one bot cannot change those of the next', () => {
    const validator = compileConfigSchema({ type: 'object', properties: { list: { default: [1] } } });
    const first = validator.validate({}).effective;
    expect(() => (first.list as number[]).push(2)).toThrow(TypeError);
    expect(validator.validate({}).effective).toEqual({ list: [1] });
  });
});

describe('problems', () => {
  it('are all told, in words, with the value', () => {
    expect(said(SMA, { symbol: 7, short_period: 1, long_period: 201, update_interval_ms: '60000' })).toEqual([
      'config.symbol must be text (got 7)',
      'config.short_period must be at least 2 (got 1)',
      'config.long_period must be at most 200 (got 201)',
      'config.update_interval_ms must be a whole number (got "60000")',
    ]);
  });

  it('name the settings that exist when one does not', () => {
    const { problems } = compileConfigSchema(SMA).validate({ shortperiod: 3 });
    expect(problems).toEqual([
      {
        path: 'config.shortperiod',
        message: 'is not a setting of this bot',
        hint: 'Did you mean short_period? Allowed: symbol, short_period, long_period, update_interval_ms',
      },
    ]);
  });

  const S = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
  const cases: [string, Record<string, unknown>, unknown, string[]][] = [
    ['required', S({ a: {} }, { required: ['a'] }), {}, ['config.a is required']],
    [
      'a list item',
      S({ l: { type: 'array', items: { type: 'integer' } } }),
      { l: [1, 'x'] },
      ['config.l[1] must be a whole number (got "x")'],
    ],
    [
      'an odd key',
      S({}, { additionalProperties: { type: 'integer' } }),
      { 'a.b c': 'x' },
      ['config["a.b c"] must be a whole number (got "x")'],
    ],
    [
      'enum',
      S({ side: { enum: ['buy', 'sell'] } }),
      { side: 'by' },
      ['config.side must be one of "buy", "sell" (got "by")'],
    ],
    [
      'pattern',
      S({ s: { type: 'string', pattern: '^[A-Z]+$' } }),
      { s: 'abc' },
      ['config.s must match the pattern ^[A-Z]+$ (got "abc")'],
    ],
    [
      'format',
      S({ s: { type: 'string', format: 'date' } }),
      { s: 'soon' },
      ['config.s must be a valid date (got "soon")'],
    ],
    [
      'length',
      S({ s: { type: 'string', minLength: 3 } }),
      { s: '\u{1F600}' },
      ['config.s must have at least 3 characters (has 1)'],
    ],
    ['items', S({ l: { type: 'array', maxItems: 1 } }), { l: [1, 2] }, ['config.l must have at most 1 item (has 2)']],
    ['several types', S({ a: { type: ['string', 'null'] } }), { a: 1 }, ['config.a must be text or null (got 1)']],
    [
      'unique items',
      S({ l: { type: 'array', uniqueItems: true } }),
      { l: [1, 2, 1] },
      ['config.l must not repeat items (0 and 2 are the same, counted from 0)'],
    ],
    [
      'any of',
      S({ a: { anyOf: [{ type: 'integer' }, { type: 'object', required: ['x'] }] } }),
      { a: 'z' },
      ['config.a has none of the allowed forms: must be a whole number (got "z"); or must be an object (got "z")'],
    ],
    [
      'any of, by reference',
      S(
        { a: { anyOf: [{ $ref: '#/definitions/n' }, { type: 'boolean' }] } },
        { definitions: { n: { type: 'number', minimum: 3 } } },
      ),
      { a: 1 },
      ['config.a has none of the allowed forms: must be at least 3 (got 1); or must be true or false (got 1)'],
    ],
    [
      'one of, twice right',
      S({ a: { oneOf: [{ type: 'integer' }, { minimum: 1 }] } }),
      { a: 2 },
      ['config.a matches more than one of the allowed forms, but must match exactly one'],
    ],
    [
      'then',
      JSON.parse('{"type":"object","if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]}}'),
      { a: 1 },
      ['config.b is required'],
    ],
    ['property names', S({}, { propertyNames: { pattern: '^x' } }), { y: 1 }, ['config must not have the key "y"']],
    [
      'a long text is not repeated',
      S({ a: { type: 'integer' } }),
      { a: 'y'.repeat(500) },
      ['config.a must be a whole number (got a text of 500 characters)'],
    ],
  ];
  it.each(cases)('%s', (_what, schema, config, expected) => {
    expect(said(schema, config)).toEqual(expected);
  });

  it('never show the value of a secret', () => {
    const schema = S({
      pin: { type: 'string', 'x-secret': true, pattern: '^\\d+$' },
      api_key: { type: 'string', maxLength: 5, pattern: '^k' },
      auth: { writeOnly: true, type: 'object', properties: { user: { type: 'integer' } } },
    });
    const told = JSON.stringify(
      compileConfigSchema(schema).validate({ pin: 'hunter2', api_key: 'swordfish', auth: { user: 'opensesame' } }),
    );
    const problems = JSON.stringify(JSON.parse(told).problems);
    expect(JSON.parse(problems).length).toBe(4);
    for (const secret of ['hunter2', 'swordfish', 'opensesame']) expect(problems).not.toContain(secret);
  });

  it('stop at fifty', () => {
    const config = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`k${i}`, i]));
    const told = said({ type: 'object', additionalProperties: false }, config);
    expect([told.length, told.at(-1)]).toEqual([51, 'config has 30 more problems like these']);
  });
});

describe('keys are data', () => {
  it('__proto__ and constructor are settings like any other', () => {
    const config: unknown = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
    const { effective, problems } = compileConfigSchema({ type: 'object' }).validate(config);
    expect(problems).toEqual([]);
    expect(JSON.stringify(effective)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('inherited names do not count as set', () => {
    const schema = {
      type: 'object',
      properties: { constructor: { type: 'string', default: 'x' } },
      required: ['constructor'],
      additionalProperties: false,
    };
    expect(compileConfigSchema(schema).validate({})).toEqual({ effective: { constructor: 'x' }, problems: [] });
    expect(said({ type: 'object', additionalProperties: false }, JSON.parse('{"__proto__":1,"toString":2}'))).toEqual([
      'config.__proto__ is not a setting of this bot',
      'config.toString is not a setting of this bot',
    ]);
  });
});

describe('limits', () => {
  const any = compileConfigSchema({ type: 'object' });
  it.each([
    ['no object', [], /must be an object/],
    ['null', null, /must be an object/],
    ['too large', { a: 'x'.repeat(256 * 1024) }, /more than 256 KiB/],
  ])('%s', (_what, config, message) => {
    expect(any.validate(config).problems[0]?.message).toMatch(message);
  });

  it('depth', () => {
    const nest = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`) as unknown;
    expect(any.validate(nest(64)).problems).toEqual([]);
    expect(any.validate(nest(65)).problems[0]?.message).toMatch(/deeper than 64/);
    let deep: unknown = {};
    for (let i = 0; i < 100_000; i++) deep = { a: deep };
    expect(any.validate(deep).problems[0]?.message).toMatch(/deeper than 64/);
  });

  it('a pattern that backtracks elsewhere takes no time here', () => {
    const validator = compileConfigSchema({
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(a+)+$' } },
    });
    const start = performance.now();
    expect(validator.validate({ a: `${'a'.repeat(100_000)}!` }).problems.length).toBe(1);
    expect(performance.now() - start).toBeLessThan(1500);
  });

  it('a schema that doubles its work at each level is cut off', () => {
    const node = {
      type: 'object',
      properties: { n: { allOf: [{ $ref: '#/definitions/node' }, { $ref: '#/definitions/node' }] } },
    };
    const validator = compileConfigSchema({
      type: 'object',
      properties: { n: { $ref: '#/definitions/node' } },
      definitions: { node },
    });
    const config = JSON.parse(`${'{"n":'.repeat(50)}{}${'}'.repeat(50)}`) as unknown;
    // Not by the clock: a busy machine makes no fault.
    const start = process.threadCpuUsage();
    const checked = validator.validate(config);
    expect(checked.problems[0]?.message).toMatch(/cannot be checked/);
    expect(checked.effective, 'what is set is not lost').toEqual(config);
    expect(process.threadCpuUsage(start).user / 1000).toBeLessThan(6000);
    expect(validator.validate({ n: {} }).problems).toEqual([]);
  });
});

it('a schema that refers to itself checks every level', () => {
  const validator = compileConfigSchema({
    type: 'object',
    additionalProperties: false,
    properties: { n: { type: 'integer', default: 3 }, child: { $ref: '#' } },
  });
  expect(validator.validate({ child: { n: 1, child: {} } })).toEqual({
    effective: { n: 3, child: { n: 1, child: { n: 3 } } },
    problems: [],
  });
  expect(validator.validate({ child: { child: { n: 'x' } } }).problems).toMatchObject([
    { path: 'config.child.child.n' },
  ]);
});

it('a schema that does not compile throws INVALID_PACKAGE', () => {
  expect(() => compileConfigSchema({ type: 'object', properties: { a: { $ref: 'http://example.org/x' } } })).toThrow(
    /configuration schema cannot be used/,
  );
});
