import { PlatformError } from '../../../src/contract/errors.ts';
import { readBotSchema } from '../../../src/packaging/bot-schema.ts';
import { redactConfig, secretProperties } from '../../../src/packaging/config-secrets.ts';
import { compileConfigSchema } from '../../../src/packaging/config-validator.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { anyJson, mutateJson, mutateText } from '../mutate.ts';
import { expectThat, type FuzzTarget, plainSession } from '../target.ts';

const SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Settings',
  type: 'object',
  properties: {
    symbol: { type: 'string', default: 'SPY', pattern: '^[A-Z]{1,5}$', description: 'Ticker' },
    period: { type: 'integer', default: 5, minimum: 2, maximum: 50 },
    api_key: { type: 'string', format: 'password' },
    levels: { type: 'array', items: { $ref: '#/definitions/level' }, minItems: 1, default: [{ at: 1 }] },
    mode: { enum: ['a', 'b', null] },
  },
  definitions: { level: { type: 'object', properties: { at: { type: 'number' } }, required: ['at'] } },
  required: ['symbol'],
  dependencies: { api_key: ['symbol'] },
  if: { properties: { mode: { const: 'a' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['period'] },
  additionalProperties: false,
};
const CONFIG = { symbol: 'ABC', period: 7, api_key: 'very-secret', levels: [{ at: 2 }], mode: 'b' };
const WORDS = [
  '"$ref":"#"',
  '"$ref":"#/definitions/level"',
  '"allOf":[{}]',
  '"not":{}',
  '"pattern":"(a+)+$"',
  '"format":"uri"',
  '"patternProperties":{"^x":{}}',
  '"$id":"x"',
  '"default":{}',
  '"const":1',
  '"type":["null","object"]',
  '1e400',
  '\\ud800',
  '//',
  '/**/',
  ',',
];

/** bot-schema.json and a configuration: problems, or a schema that judges any configuration. */
export const schema: FuzzTarget = {
  name: 'schema',
  limitMs: 15_000,
  make(random: SeededRandom) {
    let value: unknown = SCHEMA;
    for (let edits = random.below(4); edits > 0; edits--) value = mutateJson(random, value);
    const text = JSON.stringify(value, null, random.below(3)) ?? '';
    const config = random.below(8) === 0 ? anyJson(random) : mutateJson(random, CONFIG);
    return JSON.stringify([random.below(3) === 0 ? mutateText(random, text, WORDS) : text, config]);
  },
  open: () =>
    plainSession((input) => {
      const [text, config]: [string, unknown] = JSON.parse(input);
      const reading = readBotSchema(text);
      expectThat((reading.schema === undefined) === reading.problems.length > 0, 'neither a schema nor a problem');
      const lines = text.split('\n').length;
      for (const { line, column } of [...reading.problems, ...reading.warnings]) {
        expectThat(line >= 1 && line <= lines && column >= 1, `line ${line}, column ${column} of ${lines} lines`);
      }
      if (reading.schema === undefined) return;
      const before = JSON.stringify(config);
      try {
        const checked = compileConfigSchema(reading.schema).validate(config);
        expectThat(
          checked.problems.every(({ message }) => message !== ''),
          'a problem without words',
        );
        secretProperties(reading.schema, checked.effective);
        redactConfig(reading.schema, checked.effective);
      } catch (error) {
        // A schema that was let through may still be too much work to compile; it is refused with this code then.
        if (!(error instanceof PlatformError && error.code === 'INVALID_PACKAGE')) throw error;
      }
      expectThat(JSON.stringify(config) === before, 'the configuration was changed');
    }),
};
