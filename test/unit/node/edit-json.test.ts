import { describe, expect, it } from 'vitest';
import { placeInList, placeJson, readJson } from '../../../src/node/edit-json.ts';

const FILE = 'mcp.json';
const place = (text: string, path: string[] = ['mcpServers', 'mine'], value: unknown = { url: 'u' }): string =>
  placeJson(text, path, value, FILE);

describe('placeJson', () => {
  it.each(['', '  \n', '\ufeff'])('writes a whole file for %j', (text) => {
    expect(JSON.parse(place(text))).toEqual({ mcpServers: { mine: { url: 'u' } } });
  });

  it('leaves every other character as it is', () => {
    const text = `{
    // of the user, with a brace } and a "quote
    "big": 12345678901234567890, "one": 1.0,
    "mcpServers": {
        "other": { "args": ["a,b", "]}\\"{"], /* here, too */ "on": true }
    },
    "last": "\\u00fc"
}
`;
    const result = place(text);
    const added = `,\n        "mine": {\n            "url": "u"\n        }`;
    expect(result).toBe(text.replace('"on": true }', `"on": true }${added}`));
  });

  it('replaces its own entry and nothing else', () => {
    const once = place('{"mcpServers": {"mine": {"url": "old"}, "other": 1}}');
    expect(JSON.parse(once)).toEqual({ mcpServers: { mine: { url: 'u' }, other: 1 } });
    expect(place(once)).toBe(once);
  });

  it.each([
    ['{}', { mcpServers: { mine: { url: 'u' } } }],
    ['{"a": 1}', { a: 1, mcpServers: { mine: { url: 'u' } } }],
    ['{"mcpServers":{}}', { mcpServers: { mine: { url: 'u' } } }],
    ['{ "mcpServers": { } , "b": [] }', { mcpServers: { mine: { url: 'u' } }, b: [] }],
    ['{"mine": {"mcpServers": 1}}', { mine: { mcpServers: 1 }, mcpServers: { mine: { url: 'u' } } }],
  ])('adds what is missing in %s', (text, expected) => {
    expect(JSON.parse(place(text))).toEqual(expected);
  });

  it('keeps trailing commas, tabs and Windows line ends', () => {
    const text = '{\r\n\t"mcpServers": {\r\n\t\t"other": 1,\r\n\t},\r\n}\r\n';
    const added = '\r\n\t\t"mine": {\r\n\t\t\t"url": "u"\r\n\t\t},';
    expect(place(text)).toBe(text.replace('"other": 1,', `"other": 1,${added}`));
  });

  it('keeps a comment in an empty object', () => {
    expect(place('{\n  // none yet\n}')).toMatch(/^\{\n {2}"mcpServers": \{[\s\S]*\}\n {2}\/\/ none yet\n\}$/);
  });

  it.each([
    '[]',
    'null',
    '{"mcpServers": []}',
    '{"mcpServers": 1}',
    '{"a": }',
    '{"a": 1 "b": 2}',
    '{"a": "open}',
    '{"a": 1',
    '{a: 1}',
    '{} {}',
    '{ /* open }',
  ])('refuses %s and names the file', (text) => {
    expect(() => place(text)).toThrow(/^mcp\.json line 1: /);
  });
});

describe('readJson', () => {
  it('gives a value, without its comments, and undefined where there is none', () => {
    const text = '{"mcpServers": {"a": {"on": true}, "b": {/* x */ "c": 1}, "a": {"on": false}}}';
    expect(readJson(text, ['mcpServers', 'a'], FILE)).toEqual({ on: false });
    expect(readJson(text, ['mcpServers', 'b'], FILE)).toEqual({ c: 1 });
    expect(readJson(text, ['mcpServers', 'c'], FILE)).toBeUndefined();
    expect(readJson('', ['mcpServers'], FILE)).toBeUndefined();
  });
});

describe('placeInList', () => {
  const item = { id: 'key', password: true };
  it('makes the list, adds to it, replaces the one with the same id', () => {
    const made = placeInList('', 'inputs', item, FILE);
    expect(JSON.parse(made)).toEqual({ inputs: [item] });
    expect(placeInList(made, 'inputs', item, FILE)).toBe(made);
    const two = placeInList('{"inputs": [{"id": "other"}], "x": 1}', 'inputs', item, FILE);
    expect(JSON.parse(two)).toEqual({ inputs: [{ id: 'other' }, item], x: 1 });
    const replaced = placeInList('{"inputs": [{"id": "key", "old": 1}, {"id": "z"}]}', 'inputs', item, FILE);
    expect(JSON.parse(replaced)).toEqual({ inputs: [item, { id: 'z' }] });
  });

  it('refuses what is no list', () => {
    expect(() => placeInList('{"inputs": {}}', 'inputs', item, FILE)).toThrow('"inputs" is not a list');
  });
});
