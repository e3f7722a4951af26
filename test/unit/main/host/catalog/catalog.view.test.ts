import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PlatformError, type Problem } from '../../../../../src/contract/errors.ts';
import { type Catalog, createCatalog } from '../../../../../src/main/host/catalog/catalog.ts';
import { removeTree } from '../../../../../src/node/remove-tree.ts';
import { streamOf, tarGz } from '../../../packaging/raw-tar.ts';
import { MemoryStore } from './memory-store.ts';

const yaml = (version: string) =>
  `name: viewed\nversion: "${version}"\ntype: realtime\nruntime: python3.11\nentrypoints:\n  bot: main.py\nschema:\n  bot: s.json\n`;

let box: string;
let catalog: Catalog;

beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), 'catalog-view-'));
  const dir = join(box, 'custom-bots');
  catalog = createCatalog({
    dir,
    store: new MemoryStore(),
    clock: { now: Date.now },
    usedBy: () => [],
    awaitedBy: () => [],
  });
});
afterEach(() => removeTree(box));

function publish(version: string, files: Readonly<Record<string, string | Buffer>>) {
  const all = { 'bot-config.yaml': yaml(version), 's.json': '{"type":"object"}', 'main.py': 'print(1)\n', ...files };
  return catalog.publish('user_1', streamOf(tarGz(Object.entries(all).map(([name, content]) => ({ name, content })))));
}

async function refusal(files: Readonly<Record<string, string | Buffer>>): Promise<string[]> {
  try {
    await publish('9.0.0', files);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    expect(error.code).toBe('INVALID_PACKAGE');
    return (error.details as Problem[]).map(({ path, message }) => `${path} ${message}`);
  }
  throw new Error('it was published');
}

const html = async (version?: string) => (await catalog.view('user_1', 'viewed', version)).html;

it('gives each version its own view, and is part of its hash', async () => {
  const first = await publish('1.0.0', { 'view/index.html': '<p>one</p>' });
  const second = await publish('1.1.0', { 'view/index.html': '<p>two ü</p>' });
  await publish('1.2.0', {});
  expect([await html('1.0.0'), await html('1.1.0'), await html()]).toEqual(['<p>one</p>', '<p>two ü</p>', null]);
  expect(first.record.hash).not.toBe(second.record.hash);
  await expect(publish('1.0.0', { 'view/index.html': '<p>other</p>' })).rejects.toMatchObject({
    code: 'VERSION_EXISTS',
  });
  await expect(catalog.view('user_2', 'viewed', '1.0.0')).rejects.toMatchObject({ code: 'CUSTOM_BOT_NOT_FOUND' });
});

it('refuses what is no view, with its place', async () => {
  expect(await refusal({ 'view/index.html': Buffer.alloc(2 * 2 ** 20 + 1, 'a') })).toEqual([
    'view/index.html:1:1 the view is larger than 2 MiB',
  ]);
  expect(await refusal({ 'view/index.html': Buffer.from([0x3c, 0xff]) })).toEqual([
    'view/index.html:1:2 view/index.html is not UTF-8 text',
  ]);
  expect(await refusal({ 'view/index.html': '<p>', 'view/app.js': '' })).toEqual([
    'view/app.js:1:1 a view loads no other file, and its folder holds none',
  ]);
  expect(await refusal({ 'view/index.html': '\n<iframe src=x>' })).toEqual([
    'view/index.html:2:1 a view may not have the element <iframe>',
  ]);
});

it.runIf(process.platform === 'linux')('follows no link that a program puts in the place of the file', async () => {
  await publish('1.0.0', { 'view/index.html': '<p>one</p>' });
  writeFileSync(join(box, 'secret.html'), '<p>secret</p>');
  const folder = join(catalog.open('user_1', 'viewed', '1.0.0').codeDir, 'view');
  chmodSync(folder, 0o755);
  rmSync(join(folder, 'index.html'));
  symlinkSync(join(box, 'secret.html'), join(folder, 'index.html'));
  expect(await html('1.0.0')).toBeNull();
});
