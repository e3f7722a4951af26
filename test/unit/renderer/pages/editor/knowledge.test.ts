import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BotConfig, BotMetadata, Entrypoints } from '../../../../../src/contract/custom-bot.ts';
import { CONFIG_FIELDS, suggestionsAt } from '../../../../../src/renderer/pages/editor/monaco/bot-config-fields.ts';
import { entryAt, suggestionsOf } from '../../../../../src/renderer/pages/editor/monaco/sdk-help.ts';
import { heldBack } from '../../../../../src/renderer/pages/editor/monaco/strict-styles.ts';
import { treeRows } from '../../../../../src/renderer/pages/editor/tree-rows.ts';
import { LANGUAGES } from '../../../../../src/runtimes/names.ts';
import { PYTHON_SUMMARY } from '../../../../../src/runtimes/python.ts';

const PYTHON_SDK = PYTHON_SUMMARY.languages[0].sdk;
const SDK = join(import.meta.dirname, '../../../../../resources/sdk/python/platform_sdk');

describe('fields of bot-config.yaml', () => {
  it('are those of the contract', () => {
    const under = (group: string, shape: object): string[] => Object.keys(shape).map((key) => `${group}.${key}`);
    const known = [
      ...Object.keys(BotConfig.shape),
      ...under('entrypoints', Entrypoints.shape),
      ...under('metadata', BotMetadata.shape),
      'schema.bot',
    ];
    expect(CONFIG_FIELDS.map(({ path }) => path).sort()).toEqual(known.sort());
  });

  it('are offered where they are missing, by their group, with the values they may have', () => {
    const above = ['name: a', 'entrypoints:', '  bot: bot.py'];
    const labels = (typed: string): string[] =>
      suggestionsAt(above, typed, [...above, typed]).map(({ label }) => label);
    expect(labels('ver')).toContain('version');
    expect(labels('')).not.toContain('name');
    expect(labels('  ')).toEqual(['query']);
    expect(labels('type: ')).toEqual(['realtime', 'scheduled']);
    expect(labels('description: some words')).toEqual([]);
  });
});

describe('the languages of the runtimes', () => {
  it('are those that Monaco is told to colour', () => {
    const file = join(import.meta.dirname, '../../../../../src/renderer/pages/editor/monaco/languages.ts');
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

describe('the SDK for Python', () => {
  it.each(PYTHON_SDK.entries.map((entry) => [entry.name, entry] as const))('has %s as it is told', (name, entry) => {
    const [module, word] = name.includes('.') ? name.split('.') : ['output', name];
    const source = readFileSync(join(SDK, `${module}.py`), 'utf8');
    const told = source.split(`\ndef ${entry.signature}:\n    """`)[1] ?? '';
    expect([`${entry.doc}"""`, entry.doc]).toContain(told.split('\n')[0]);
    expect(entry.signature.startsWith(`${word}(`)).toBe(true);
  });

  it('is told whole', () => {
    const functions = (file: string) =>
      [...readFileSync(join(SDK, file), 'utf8').matchAll(/^def ([a-z]\w*)\(/gm)].map(([, name]) => name ?? '');
    const all = [
      ...functions('output.py'),
      ...['state', 'query'].flatMap((module) => functions(`${module}.py`).map((name) => `${module}.${name}`)),
    ];
    expect(PYTHON_SDK.entries.map(({ name }) => name).sort()).toEqual(all.sort());
    const exported = /__all__ = \[([^\]]*)\]/.exec(readFileSync(join(SDK, '__init__.py'), 'utf8'))?.[1] ?? '';
    const told = new Set(PYTHON_SDK.entries.map(({ name }) => name.split('.')[0]));
    const small = [...exported.matchAll(/"([a-z]\w*)"/g)].map(([, name]) => name);
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

it('holds the styles of tags back, and leaves texts as they are', () => {
  expect(heldBack('<div style="top:1px" class="a"> style="x" &lt;b style="y"&gt;</div>')).toBe(
    '<div data-held-style="top:1px" class="a"> style="x" &lt;b style="y"&gt;</div>',
  );
});

it('shows folders first, in the order people count, and what is in those that are open', () => {
  const entries = ['b.py', 'a10.py', 'a2.py', 'src', 'src/x.py'].map((path) => ({
    path,
    kind: path === 'src' ? ('folder' as const) : ('file' as const),
  }));
  const shown = (open: string[]): string[] => treeRows(entries, new Set(open)).map(({ path }) => path);
  expect(shown([])).toEqual(['src', 'a2.py', 'a10.py', 'b.py']);
  expect(shown(['src'])).toEqual(['src', 'src/x.py', 'a2.py', 'a10.py', 'b.py']);
});
