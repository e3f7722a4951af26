import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ConfinedFolder } from '../../../../../src/main/host/projects/confined.ts';
import { firstShownFile } from '../../../../../src/main/host/projects/first-shown-file.ts';
import { walkTree } from '../../../../../src/main/host/projects/walk-tree.ts';
import { tempDir } from '../../../../support/temp.ts';

const config = (bot: string, runtime = 'python311'): string =>
  [
    'name: my-bot',
    'description: Does nothing.',
    'version: 1.0.0',
    'author: me',
    'type: realtime',
    `runtime: ${runtime}`,
    `entrypoints:\n  bot: ${bot}\n  query: ${bot}`,
    'schema:\n  bot: bot-schema.json',
    'readme: README.md\n',
  ].join('\n');

/** The first file of a project that consists of some files. */
async function first(files: Readonly<Record<string, string>>, prepare = (_root: string): void => undefined) {
  const root = tempDir();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  prepare(root);
  return firstShownFile(new ConfinedFolder(root), (await walkTree(root)).entries);
}

it('is the program that the configuration names', async () => {
  expect(await first({ 'bot-config.yaml': config('src/bot.py'), 'src/bot.py': 'x' })).toBe('src/bot.py');
  expect(await first({ 'bot-config.yaml': config('./bot.py'), 'bot.py': 'x' })).toBe('bot.py');
});

it.each([
  ['a program that is not there', config('bot.py'), {}],
  ['a program outside of the folder', config('../bot.py'), {}],
  ['a program that is no text', config('build/bot', 'gcc13'), { 'build/bot': 'ELF\0' }],
  ['a configuration with a mistake', 'name: [', { 'bot.py': 'x' }],
])('is the configuration in place of %s', async (_, text, files) => {
  expect(await first({ 'bot-config.yaml': text, ...files })).toBe('bot-config.yaml');
});

it('follows no link, neither of the program nor of the configuration', async () => {
  const elsewhere = join(tempDir(), 'secret.py');
  writeFileSync(elsewhere, config('bot.py'));
  const linked = (name: string) => (root: string) => symlinkSync(elsewhere, join(root, name));
  expect(await first({ 'bot-config.yaml': config('bot.py') }, linked('bot.py'))).toBe('bot-config.yaml');
  expect(await first({ 'bot.py': 'x' }, linked('bot-config.yaml'))).toBeNull();
});

it.skipIf(process.getuid?.() === 0)('names no file that may not be read', async () => {
  const files = { 'bot-config.yaml': config('bot.py'), 'bot.py': 'x' };
  expect(await first(files, (root) => chmodSync(join(root, 'bot.py'), 0))).toBe('bot-config.yaml');
});

it('is none without a configuration', async () => {
  expect(await first({ 'bot.py': 'x' })).toBeNull();
});
