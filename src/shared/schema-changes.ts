import { stableStringify } from './json.ts';
import type { Schema } from './json-schema.ts';
import { type SchemaRow, schemaRows } from './schema-rows.ts';

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
