import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../../../../src/runtimes/registry.ts';

const SDK = join(import.meta.dirname, '../../../../../../resources/sdk/python/platform_sdk');

describe('the languages of the runtimes', () => {
  it('are those that Monaco is told to colour', () => {
    const file = join(import.meta.dirname, '../../../../../../src/renderer/pages/editor/monaco/languages.ts');
    const coloured = [...readFileSync(file, 'utf8').matchAll(/languages\/definitions\/(\w+)\/register/g)];
    const known = coloured.map(([, name]) => name);
    expect(LANGUAGES.map(({ id }) => id).filter((id) => !known.includes(id))).toEqual([]);
  });

  it('name declarations of an SDK that are there', () => {
    const files = LANGUAGES.flatMap(({ types }) => (types === undefined ? [] : [types.file]));
    expect(files).toEqual(['node/index.d.ts']);
    for (const file of files) expect(readFileSync(join(SDK, '../..', file), 'utf8')).toContain('export');
  });
});
