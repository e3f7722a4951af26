import { expect, it } from 'vitest';
import { entryAt, type Sdk, suggestionsOf } from '../../../../../../src/renderer/pages/editor/monaco/sdk-help.ts';

const SDK: Sdk = {
  imported: /\bplatform_sdk\b/,
  modules: ['state'],
  entries: [
    { name: 'metric', signature: 'metric TYPE DATA', doc: 'Emits a metric.' },
    { name: 'log', signature: 'log MESSAGE', doc: 'Writes a log line.' },
    { name: 'state.get', signature: 'get KEY', doc: 'The value under a key.' },
  ],
};

it('offers the functions of an SDK after its modules, and explains them where they are used', () => {
  expect(suggestionsOf(SDK, '    memory = state.').map(({ name }) => name)).toEqual(['state.get']);
  expect(suggestionsOf(SDK, '    other.')).toEqual([]);
  expect(suggestionsOf(SDK, '    # me')).toEqual([]);
  expect(suggestionsOf(SDK, '    me').map(({ name }) => name)).toEqual(['metric', 'log']);
  expect(entryAt(SDK, 'state.', 'get', 'from platform_sdk import state')?.name).toBe('state.get');
  expect(entryAt(SDK, 'other.', 'get', 'import platform_sdk')).toBeNull();
  expect(entryAt(SDK, '', 'log', 'def log(): pass')).toBeNull();
});
