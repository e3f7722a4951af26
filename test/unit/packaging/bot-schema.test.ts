import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { readBotSchema } from '../../../src/packaging/bot-schema.ts';

const SMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  title: 'SMA crossover',
  properties: {
    symbol: { type: 'string', description: 'Ticker', default: 'AAPL' },
    short_period: { type: 'integer', default: 5, minimum: 2, maximum: 50 },
  },
  additionalProperties: false,
};

const pretty = (schema: unknown) => JSON.stringify(schema, null, 2);
const found = (text: string) =>
  readBotSchema(text).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
const of = (properties: object, more: object = {}) => pretty({ type: 'object', properties, ...more });

describe('a good schema', () => {
  it('is read', () => {
    const { schema, problems, warnings } = readBotSchema(pretty(SMA));
    expect([problems, warnings]).toEqual([[], []]);
    expect(schema).toEqual(SMA);
  });

  it('may refer to itself as a whole', () => {
    expect(found(of({ child: { $ref: '#' }, children: { type: 'array', items: { $ref: '#' } } }))).toEqual([]);
  });

  it('may refer to its own definitions, also in a circle', () => {
    const text = of(
      { tree: { $ref: '#/definitions/node' } },
      { definitions: { node: { type: 'object', properties: { next: { $ref: '#/definitions/node' } } } } },
    );
    expect(found(text)).toEqual([]);
  });

  it('may mark secrets, and have properties named like keywords', () => {
    const text = of({
      api_key: { type: 'string', 'x-secret': true, format: 'password' },
      $ref: { type: 'string' },
      pattern: { type: 'string' },
      id: { type: 'string' },
    });
    expect(readBotSchema(text)).toMatchObject({ problems: [], warnings: [] });
  });

  it('may have data that looks like a schema', () => {
    const text = of({ a: { type: 'object', default: { $ref: 'http://example.org', pattern: '(' } } });
    expect(found(text)).toEqual([]);
  });

  it('may have properties named __proto__ and constructor', () => {
    expect(
      found('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}'),
    ).toEqual([]);
  });

  it('may begin with a byte order mark', () => {
    expect(found(`\uFEFF${pretty(SMA)}`)).toEqual([]);
  });
});

describe('warnings', () => {
  it('name keywords and formats that check nothing, with what was meant', () => {
    const { schema, warnings } = readBotSchema(
      of({ a: { type: 'integer', minimun: 3 }, b: { type: 'string', format: 'emial' } }),
    );
    expect(schema).toBeDefined();
    expect(warnings.map(({ line, column, message, hint }) => [line, column, message, hint])).toEqual([
      [6, 7, '"minimun" is not a keyword of draft-07 and checks nothing', 'Did you mean "minimum"?'],
      [10, 7, 'the format "emial" is not known and checks nothing', 'Did you mean "email"?'],
    ]);
  });
});

describe('problems with their place', () => {
  const cases: [string, string, string][] = [
    ['a trailing comma', '{\n  "type": "object",\n}', '3:1 not valid JSON: a comma before "}"'],
    ['a missing comma', '{\n  "type": "object"\n  "title": ""\n}', '3:3 not valid JSON: "," or "}" is missing'],
    ['single quotes', "{'type': 1}", '1:2 not valid JSON: single quotes are not JSON'],
    ['a comment', '{\n  // hello\n}', '2:3 not valid JSON: comments are not JSON'],
    ['a cut file', '{"type": "object", "properties": {', '1:35 not valid JSON: the file ends in the middle'],
    [
      'an open text',
      '{"type": "obj',
      '1:10 not valid JSON: a text that is not closed, has a bad escape, or a raw line break',
    ],
    ['a bad word', '{"type": undefined}', '1:10 not valid JSON: "u" begins no JSON value'],
    ['a number with a zero before', '{"a": 01}', '1:7 not valid JSON: "0" begins no JSON value'],
    ['a repeated key', '{"type": "object",\n "type": "object"}', '2:2 not valid JSON: "type" appears twice'],
    ['text after the end', '{"type":"object"} x', '1:19 not valid JSON: text after the end of the JSON value'],
    ['nothing', '', '1:1 not valid JSON: the file ends in the middle'],
    ['a list', '[]', '1:1 the schema must be a JSON object'],
    ['no type', '{"properties": {}}', '1:1 the root of the schema must have "type": "object"'],
    ['another type', '{\n  "type": "array"\n}', '2:11 the root of the schema must have "type": "object"'],
    [
      'another draft',
      '{"type": "object",\n"$schema": "https://json-schema.org/draft/2020-12/schema"}',
      '2:12 only JSON Schema draft-07 is supported, not "https://json-schema.org/draft/2020-12/schema"',
    ],
    [
      'a remote reference',
      of({ a: { $ref: 'http://example.org/s.json' } }),
      '5:15 "$ref": "http://example.org/s.json" points outside this file; nothing is ever loaded from elsewhere',
    ],
    [
      'a file reference',
      of({ a: { $ref: 'file:///etc/passwd' } }),
      '5:15 "$ref": "file:///etc/passwd" points outside this file; nothing is ever loaded from elsewhere',
    ],
    [
      'a dangling reference',
      of({ a: { $ref: '#/definitions/none' } }),
      '5:15 "$ref": "#/definitions/none" names nothing',
    ],
    [
      'a required name that is no property',
      of({ symbol: {} }, { required: ['symbol', 'symbl'] }),
      '8:5 "symbl" is required but is not among the properties',
    ],
    [
      'a pattern with look-ahead',
      of({ a: { type: 'string', pattern: '^(?=a)' } }),
      '6:18 the pattern "^(?=a)" uses look-ahead or look-behind, which is not supported',
    ],
    [
      'a pattern with a back-reference',
      of({ a: { pattern: '(a)\\1' } }),
      '5:18 the pattern "(a)\\\\1" uses a back-reference, which is not supported',
    ],
    [
      'a pattern that is none',
      of({ a: { pattern: '(' } }),
      '5:18 the pattern "(" is not a valid regular expression: missing closing ): `(`',
    ],
    [
      'a pattern as a name',
      of({}, { patternProperties: { '[': {} } }),
      '4:24 the pattern "[" is not a valid regular expression: missing closing ]: `[`',
    ],
    [
      'a limit that is a text',
      of({ a: { type: 'integer', minimum: '2' } }),
      '6:18 properties.a.minimum must be a number (got "2")',
    ],
    [
      'a type that is none',
      of({ a: { type: 'int' } }),
      '5:15 properties.a.type must be one of "array", "boolean", "integer", "null", "number", "object", "string" (got "int")',
    ],
    [
      'a default against its own rules',
      of({ a: { type: 'integer', minimum: 2, default: 1 } }),
      '7:18 the default of properties.a breaks its own rules: must be at least 2 (got 1)',
    ],
    ['an inner $id', of({ a: { $id: 'other', type: 'string' } }), '5:14 "$id" inside a schema is not supported'],
  ];
  it.each(cases)('%s', (_what, text, expected) => {
    const { problems, schema } = readBotSchema(text);
    expect(schema).toBeUndefined();
    expect(found(text)[0]).toBe(expected);
    for (const problem of problems) {
      expect(problem.file).toBe('bot-schema.json');
      expect(problem.hint.length).toBeGreaterThan(3);
    }
  });

  it('many at once', () => {
    expect(found(of({ a: { pattern: '(' }, b: { $ref: 'x.json' } }, { required: ['c'] })).length).toBe(3);
  });
});

describe('hostile schemas end quickly', () => {
  const doubled = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `d${i}`,
      { allOf: [{ $ref: `#/definitions/d${i + 1}` }, { $ref: `#/definitions/d${i + 1}` }] },
    ]),
  );
  const endless = {
    type: 'object',
    properties: { a: { $ref: '#/definitions/n', default: {} }, b: { $ref: '#/definitions/n', default: {} } },
  };
  const cases: [string, string, RegExp][] = [
    ['too large', `{"type":"object","description":"${'x'.repeat(270_000)}"}`, /at most 256 KiB/],
    ['deep', `${'{"not":'.repeat(5000)}{}${'}'.repeat(5000)}`, /nested deeper than 64/],
    [
      'wide',
      of(Object.fromEntries(Array.from({ length: 6000 }, (_, i) => [`p${i}`, {}]))),
      /more than 5000 subschemas/,
    ],
    [
      'doubling references',
      of({ a: { $ref: '#/definitions/d0', default: 1 } }, { definitions: { ...doubled, d40: { type: 'string' } } }),
      /stands for more than 20000 subschemas/,
    ],
    [
      'defaults without end',
      of({ root: { $ref: '#/definitions/n', default: {} } }, { definitions: { n: endless } }),
      /too complex/,
    ],
  ];
  it.each(cases)('%s', (_what, text, message) => {
    const start = performance.now();
    expect(found(text).join('\n')).toMatch(message);
    expect(performance.now() - start).toBeLessThan(8000);
  });

  it('a reference in a circle through itself alone is told', () => {
    const text = of(
      { a: { $ref: '#/definitions/x', default: 1 } },
      { definitions: { x: { $ref: '#/definitions/x' } } },
    );
    expect(found(text).join('\n')).toMatch(/"#\/definitions\/x" leads back to itself and so describes nothing/);
    const two = of({ a: { $ref: '#/properties/b' }, b: { $ref: '#/properties/a' } });
    expect(found(two).join('\n')).toMatch(/"#\/properties\/b" leads back to itself/);
  });

  it('never opens a connection', async () => {
    let connections = 0;
    const server = createServer().on('connection', () => connections++);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    try {
      const base = `http://127.0.0.1:${address.port}`;
      expect(found(of({ a: { $ref: `${base}/a.json` } }, { $id: `${base}/root.json` })).length).toBe(1);
      await new Promise((done) => setImmediate(done));
      expect(connections).toBe(0);
    } finally {
      server.close();
    }
  });
});
