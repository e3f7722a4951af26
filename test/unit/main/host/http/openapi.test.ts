import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../../../src/contract/operations.ts';
import { openApi } from '../../../../../src/main/host/http/openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
const document: any = openApi('1.2.3');

/** Every `$ref` anywhere in a JSON value. */
function refs(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => (key === '$ref' ? [String(item)] : refs(item)));
}

describe('OpenAPI 3.1', () => {
  it.each(Object.entries(OPERATIONS))('describes %s', (name, operation) => {
    const described = document.paths[operation.path]?.[operation.method.toLowerCase()];
    expect(described.operationId).toBe(name);
    expect(described.responses[operation.status]).toBeDefined();
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const declared = described.parameters.filter((one: { in: string }) => one.in === 'path');
    expect(declared.map((one: { name: string }) => one.name)).toEqual(inPath);
    if (operation.access !== 'open') expect(described.responses[401].description).toContain('INVALID_API_KEY');
  });

  it('has no reference that leads nowhere, and keeps no local definitions', () => {
    const all = refs(document);
    expect(all.length).toBeGreaterThan(50);
    for (const ref of all) {
      expect(ref).toMatch(/^#\/components\/schemas\/\w+$/);
      expect(document.components.schemas).toHaveProperty(ref.slice('#/components/schemas/'.length));
    }
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  it('says what a deployment is', () => {
    const schema = document.paths['/api/v1/bots'].post.requestBody.content['application/json'].schema;
    expect(schema.required).toEqual(expect.arrayContaining(['name', 'type', 'version']));
    expect(document.components.schemas.Bot.properties).toHaveProperty('next_run_at');
  });
});
