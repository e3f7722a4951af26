import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entryAt, suggestionsOf } from '../../../../../../src/renderer/pages/editor/monaco/sdk-help.ts';
import { PYTHON_SUMMARY } from '../../../../../../src/runtimes/python.ts';

const PYTHON_SDK = PYTHON_SUMMARY.languages[0].sdk;

const SDK = join(import.meta.dirname, '../../../../../../resources/sdk/python/platform_sdk');

const functions = (file: string) =>
  [...readFileSync(join(SDK, file), 'utf8').matchAll(/^def ([a-z]\w*)\(/gm)].map(([, name]) => name ?? '');
/** Functions of the rows that the ledger reads. */
const RESERVED = functions('reserved.py');

describe('the SDK for Python', () => {
  it.each(PYTHON_SDK.entries.map((entry) => [entry.name, entry] as const))('has %s as it is told', (name, entry) => {
    const [module, word] = name.includes('.')
      ? name.split('.')
      : [RESERVED.includes(name) ? 'reserved' : 'output', name];
    const source = readFileSync(join(SDK, `${module}.py`), 'utf8');
    const told = source.split(`\ndef ${entry.signature}:\n    """`)[1] ?? '';
    expect([`${entry.doc}"""`, entry.doc]).toContain(told.split('\n')[0]);
    expect(entry.signature.startsWith(`${word}(`)).toBe(true);
  });

  it('is told whole', () => {
    const all = [
      ...functions('output.py'),
      ...RESERVED,
      ...['state', 'query'].flatMap((module) => functions(`${module}.py`).map((name) => `${module}.${name}`)),
    ];
    expect(PYTHON_SDK.entries.map(({ name }) => name).sort()).toEqual(all.sort());
    const exported = /__all__ = \[([^\]]*)\]/.exec(readFileSync(join(SDK, '__init__.py'), 'utf8'))?.[1] ?? '';
    const told = new Set(PYTHON_SDK.entries.map(({ name }) => name.split('.')[0]));
    // `import *` must not replace the standard module of this name.
    const small = [...exported.matchAll(/"([a-z]\w*)"/g), ['', 'signal']].map(([, name]) => name).sort();
    expect(small).toEqual([...told].sort());
  });

  it('is offered after its modules, and explained where it is used', () => {
    expect(suggestionsOf(PYTHON_SDK, '    memory = state.').map(({ name }) => name)).toContain('state.get');
    expect(suggestionsOf(PYTHON_SDK, '    other.')).toEqual([]);
    expect(suggestionsOf(PYTHON_SDK, '    me').map(({ name }) => name)).toContain('metric');
    expect(entryAt(PYTHON_SDK, 'state.', 'get', 'from platform_sdk import state')?.name).toBe('state.get');
    expect(entryAt(PYTHON_SDK, 'other.', 'get', 'import platform_sdk')).toBeNull();
    expect(entryAt(PYTHON_SDK, '', 'log', 'def log(): pass')).toBeNull();
  });
});
