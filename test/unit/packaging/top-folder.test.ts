import { describe, expect, it } from 'vitest';
import { isFileManagers, topFolder } from '../../../src/packaging/top-folder.ts';

describe('the top folder', () => {
  it.each<[string[], string | null]>([
    [['bot/bot-config.yaml', 'bot/src/a.py'], 'bot'],
    [['bot/bot-config.yaml', '__MACOSX/bot/._a', '.DS_Store', '._bot'], 'bot'],
    [['bot-config.yaml', 'bot/a.py'], null],
    [['bot/bot-config.yaml', 'README.md'], null],
    [['a/bot/bot-config.yaml', 'a/bot/b.py'], null],
    [['bot/a.py'], null],
    [['../bot-config.yaml', '../a.py'], null],
    [['/bot-config.yaml', '/a.py'], null],
    [[], null],
  ])('of %j is %j', (paths, expected) => {
    expect(topFolder(paths)).toBe(expected);
  });
});

it.each<[string, boolean]>([
  ['__MACOSX', true],
  ['__MACOSX/bot/._a', true],
  ['a/.DS_Store', true],
  ['a/._b', true],
  ['Thumbs.db', true],
  ['a/__MACOSX', false],
  ['._a/b', false],
  ['__MACOSX.py', false],
])('%s is of a file manager: %s', (path, expected) => {
  expect(isFileManagers(path)).toBe(expected);
});
