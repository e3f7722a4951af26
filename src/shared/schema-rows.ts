import { isJsonObject, stableStringify } from './json.ts';
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

/** A difference between two versions of one setting. */
export interface SchemaChange {
  readonly name: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** The differences in words; empty for an added or removed setting. */
  readonly what: readonly string[];
}

const orNone = (text: string | null): string => (text === null || text === '' ? 'none' : text);

function changesOf(before: SchemaRow, after: SchemaRow): string[] {
  const found: string[] = [];
  const told = (what: string, a: string, b: string): void => {
    if (a !== b) found.push(`${what}: ${a} → ${b}`);
  };
  told('type', before.type, after.type);
  told('range', orNone(before.rules.join(', ')), orNone(after.rules.join(', ')));
  told('default', orNone(before.default), orNone(after.default));
  if (before.required !== after.required) found.push(after.required ? 'is required now' : 'is not required any more');
  if (before.secret !== after.secret) found.push(after.secret ? 'is a secret now' : 'is no secret any more');
  if (before.description !== after.description) found.push('another description');
  return found;
}

/** The differences between the settings of two versions. */
export function schemaChanges(before: Schema, after: Schema): SchemaChange[] {
  const old = new Map(schemaRows(before).map((row) => [row.name, row]));
  const next = new Map(schemaRows(after).map((row) => [row.name, row]));
  const names = new Set([...next.keys(), ...old.keys()]);
  return [...names].flatMap((name): SchemaChange[] => {
    const a = old.get(name);
    const b = next.get(name);
    if (a === undefined) return [{ name, kind: 'added', what: [] }];
    if (b === undefined) return [{ name, kind: 'removed', what: [] }];
    const what = changesOf(a, b);
    return what.length === 0 ? [] : [{ name, kind: 'changed', what }];
  });
}

/** True when two schemas are equal, also in parts that the rows do not show. */
export function sameSchema(before: Schema, after: Schema): boolean {
  return stableStringify(before) === stableStringify(after);
}
