import { expect, it } from 'vitest';
import { validateTexts } from '../../../../../src/main/host/catalog/validate-package.ts';

const YAML = `name: sma-crossover
version: "1.0.0"
type: realtime
runtime: python3.11
description: Crosses averages
author: Ada
entrypoints:
  bot: main.py
schema:
  bot: bot-schema.json
readme: README.md
colour: blue
`;
const SCHEMA = JSON.stringify({ type: 'object', properties: { symbol: { type: 'string' } } });

it('finds in texts what publishing would find', () => {
  expect(validateTexts({ config_yaml: YAML, schema_json: SCHEMA })).toMatchObject({
    valid: true,
    problems: [],
    warnings: [{ line: 12 }],
  });
  const { valid, problems } = validateTexts({ config_yaml: YAML.replace('realtime', 'x'), schema_json: '{' });
  expect(valid).toBe(false);
  expect(problems.map(({ file, line, column }) => [file, line, column])).toEqual([
    ['bot-config.yaml', 3, 7],
    ['bot-schema.json', 1, 2],
  ]);
});
