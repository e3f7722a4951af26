import { isJsonObject } from './json.ts';
import {
  isSecret,
  kindOf,
  otherSchema,
  propertiesOf,
  resolve,
  ruleList,
  type Schema,
  typeWords,
  valueText,
} from './json-schema.ts';

/** A setting of a schema as a row of a table. */
export interface SchemaRow {
  /** `levels[].x`, `limits.*` */
  readonly name: string;
  readonly depth: number;
  readonly type: string;
  readonly required: boolean;
  readonly rules: readonly string[];
  /** Null without one. */
  readonly default: string | null;
  readonly description: string;
  readonly secret: boolean;
}

const MOST_LEVELS = 12;

/** All settings of a schema in its order, each before its nested ones. */
export function schemaRows(root: Schema): SchemaRow[] {
  const rows: SchemaRow[] = [];
  const visit = (given: unknown, name: string, key: string, required: boolean, depth: number): void => {
    const schema = resolve(root, given);
    if (name !== '') {
      rows.push({
        name,
        depth: depth - 1,
        type: typeWords(schema),
        required,
        rules: ruleList(schema),
        default: 'default' in schema ? valueText(schema.default) : null,
        description: typeof schema.description === 'string' ? schema.description : '',
        secret: isSecret(key, schema),
      });
    }
    if (depth >= MOST_LEVELS) return;
    for (const one of propertiesOf(root, schema)) {
      visit(one.schema, name === '' ? one.key : `${name}.${one.key}`, one.key, one.required, depth + 1);
    }
    const others = otherSchema(root, schema);
    if (isJsonObject(schema.additionalProperties) && others !== null)
      visit(others, `${name === '' ? '' : `${name}.`}*`, '', false, depth + 1);
    if (kindOf(schema) === 'list') visit(schema.items, `${name}[]`, '', false, depth + 1);
  };
  visit(root, '', '', false, 0);
  return rows;
}
