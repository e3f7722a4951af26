import { z } from 'zod';

/** Any JSON value, spelled so that strict schema checkers accept it. */
const ANY = ['object', 'array', 'string', 'number', 'boolean', 'null'].map((type) => ({ type }));

type JsonSchema = Record<string, unknown>;

/**
 * A zod schema as the JSON Schema of a tool: the subset that draft-07 and 2020-12 share. The bounds
 * of safe integers are left out: they are noise to a reader.
 */
export function toolSchema(schema: z.ZodType): JsonSchema {
  const made = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema, zodSchema }) => {
      const json: JsonSchema = jsonSchema;
      if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
      if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
      if (zodSchema._zod.def.type === 'unknown') json.anyOf = ANY;
      if (typeof json.additionalProperties === 'object') json.additionalProperties = true;
      delete json.propertyNames;
    },
  });
  const { $schema: _, ...rest } = made;
  return rest;
}
