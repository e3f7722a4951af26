import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BotConfig, BotMetadata, Entrypoints } from '../../../../../src/contract/custom-bot.ts';
import { CONFIG_FIELDS, suggestionsAt } from '../../../../../src/renderer/places/editor/monaco/bot-config-fields.ts';
import {
  PYTHON_SDK,
  pythonEntryAt,
  pythonSuggestions,
} from '../../../../../src/renderer/places/editor/monaco/python-sdk.ts';
import { heldBack } from '../../../../../src/renderer/places/editor/monaco/strict-styles.ts';
import { treeRows } from '../../../../../src/renderer/places/editor/tree-rows.ts';

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

describe('the SDK for Python', () => {
  it.each(PYTHON_SDK.map((entry) => [entry.name, entry] as const))('has %s as it is told', (name, entry) => {
    const [module, word] = name.includes('.') ? name.split('.') : ['output', name];
    const source = readFileSync(join(SDK, `${module}.py`), 'utf8');
    expect(source).toContain(`\ndef ${entry.signature}:\n    """${entry.doc}"""`);
    expect(entry.signature.startsWith(`${word}(`)).toBe(true);
  });

  it('is told whole', () => {
    const exported = /__all__ = (\[[^\]]*\])/.exec(readFileSync(join(SDK, '__init__.py'), 'utf8'))?.[1] ?? '[]';
    const told = new Set(PYTHON_SDK.map(({ name }) => name.split('.')[0]));
    expect([...told].sort()).toEqual(JSON.parse(exported));
  });

  it('is offered after its modules, and explained where it is used', () => {
    expect(pythonSuggestions('    memory = state.').map(({ name }) => name)).toContain('state.get');
    expect(pythonSuggestions('    other.')).toEqual([]);
    expect(pythonSuggestions('    me').map(({ name }) => name)).toContain('metric');
    expect(pythonEntryAt('state.', 'get', true)?.name).toBe('state.get');
    expect(pythonEntryAt('other.', 'get', true)).toBeNull();
    expect(pythonEntryAt('', 'log', false)).toBeNull();
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
