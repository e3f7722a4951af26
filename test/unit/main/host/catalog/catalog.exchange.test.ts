import { chmodSync, mkdtempSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PackagePreview } from '../../../../../src/contract/custom-bot.ts';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { type Catalog, createCatalog } from '../../../../../src/main/host/catalog/catalog.ts';
import { removeTree } from '../../../../../src/node/remove-tree.ts';
import { type RawEntry, streamOf, tarGz } from '../../../packaging/raw-tar.ts';
import { rawZip } from '../../../packaging/raw-zip.ts';
import { MemoryStore } from './memory-store.ts';

const CONFIG = (version: string, more = '') =>
  `name: my-bot\nversion: "${version}"\ntype: realtime\nruntime: python311\nentrypoints:\n  bot: main.py\nschema:\n  bot: bot-schema.json\npermits:\n  network: []\n${more}`;
const SCHEMA = (maximum: number) => JSON.stringify({ type: 'object', properties: { n: { type: 'integer', maximum } } });
const FILES = (version: string, more = ''): Record<string, string> => ({
  'bot-config.yaml': CONFIG(version, more),
  'bot-schema.json': SCHEMA(10),
  'main.py': 'print(1)\n',
  'data/a.csv': 'a,b\n',
});

let box: string;
let store: MemoryStore;
let catalog: Catalog;

const catalogIn = (dir: string, records: MemoryStore): Catalog =>
  createCatalog({
    dir: join(box, dir),
    store: records,
    clock: { now: () => Date.UTC(2026, 0, 2) },
    usedBy: () => [],
    awaitedBy: () => [],
    target: { os: 'linux', arch: 'x64' },
  });

beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), 'exchange-'));
  store = new MemoryStore();
  catalog = catalogIn('here', store);
});
afterEach(() => removeTree(box));

type Content = Readonly<Record<string, string | Buffer>>;
const entries = (files: Content): RawEntry[] => Object.entries(files).map(([name, content]) => ({ name, content }));
const publish = (files: Content) => catalog.publish('user_1', streamOf(tarGz(entries(files))));
const inspect = (files: Content) => catalog.inspect('user_1', streamOf(tarGz(entries(files))));
const exported = async (version?: string): Promise<Buffer> =>
  buffer((await catalog.export('user_1', 'my-bot', version)).stream);
const codeDir = (version = '1.0.0'): string => catalog.open('user_1', 'my-bot', version).codeDir;

async function failure(work: Promise<unknown>): Promise<PlatformError> {
  const thrown = await work.then(
    () => new Error('it succeeded'),
    (error: unknown) => error,
  );
  if (thrown instanceof PlatformError) return thrown;
  throw thrown;
}

/** Publishes a script, then a compiled program that its package does not call executable. */
async function publishCompiled(): Promise<string> {
  const elf = Buffer.alloc(64);
  elf.write('\x7fELF\x02\x01', 'latin1');
  elf.writeUInt16LE(3, 16);
  elf.writeUInt16LE(62, 18);
  const config = CONFIG('1.0.0').replace('python311', 'gcc13').replace('main.py', 'build/bot');
  const files = { ...FILES('1.0.0'), 'build/bot': elf, 'bot-config.yaml': config };
  return (await publish(files)).record.hash;
}

describe('export', () => {
  it('makes the same file each time, with the content that was published, whatever its package was like', async () => {
    const { record } = await publish(FILES('1.0.0'));
    const first = await exported();
    expect(first.equals(await exported('1.0.0'))).toBe(true);
    const other = catalogIn('there', new MemoryStore());
    const again = await other.publish('user_2', streamOf(first));
    expect(again).toMatchObject({ created: true, record: { hash: record.hash, files: 4 } });
    expect((await catalog.export('user_1', 'my-bot')).fileName).toBe('my-bot-1.0.0.tar.gz');
  });

  it('keeps files that a packer would leave out, and executable bits', async () => {
    const program = { name: 'run', content: '#!/bin/sh\n', mode: 0o755 };
    const odd = { ...FILES('1.0.0'), '.env': 'x', 'debug.log': 'x' };
    const { record } = await catalog.publish('user_1', streamOf(tarGz([...entries(odd), program])));
    const other = catalogIn('there', new MemoryStore());
    expect((await other.publish('user_1', streamOf(await exported()))).record.hash).toBe(record.hash);
  });

  it('gives a compiled program the bit that its package said', async () => {
    const hash = await publishCompiled();
    const other = catalogIn('there', new MemoryStore());
    expect((await other.publish('user_1', streamOf(await exported()))).record.hash).toBe(hash);
  });

  it('takes the highest version unless one is named, and knows no other users', async () => {
    await publish(FILES('1.0.0'));
    await publish(FILES('1.10.0'));
    expect((await catalog.export('user_1', 'my-bot')).fileName).toBe('my-bot-1.10.0.tar.gz');
    expect((await failure(catalog.export('user_2', 'my-bot'))).code).toBe('CUSTOM_BOT_NOT_FOUND');
    expect((await failure(catalog.export('user_1', 'my-bot', '2.0.0'))).code).toBe('CUSTOM_BOT_NOT_FOUND');
  });

  it.runIf(process.platform !== 'win32').each<[string, (dir: string) => void]>([
    [
      'a changed file',
      (dir) => {
        chmodSync(join(dir, 'main.py'), 0o644);
        writeFileSync(join(dir, 'main.py'), 'print(2)\n');
      },
    ],
    ['one more file', (dir) => writeFileSync(join(dir, 'evil.py'), 'x')],
    ['a file that is executable now', (dir) => chmodSync(join(dir, 'data/a.csv'), 0o555)],
    [
      'a link in the place of a file',
      (dir) => {
        renameSync(join(dir, 'main.py'), join(box, 'main.py'));
        symlinkSync(join(box, 'main.py'), join(dir, 'main.py'));
      },
    ],
    [
      'a link in the place of a folder',
      (dir) => {
        renameSync(join(dir, 'data'), join(box, 'data'));
        symlinkSync(join(box, 'data'), join(dir, 'data'));
      },
    ],
  ])('gives no byte of a version with %s', async (_what, change) => {
    await publish(FILES('1.0.0'));
    change(codeDir());
    const error = await failure(catalog.export('user_1', 'my-bot'));
    expect(error).toMatchObject({ code: 'DATA_DAMAGED', message: expect.stringMatching(/my-bot 1\.0\.0/) });
    expect(error.hint).toBeTruthy();
  });

  it.runIf(process.platform !== 'win32')('ends with an error if a file changes while it is read', async () => {
    await publish({ ...FILES('1.0.0'), 'big.csv': 'x'.repeat(2 ** 20) });
    const { stream } = await catalog.export('user_1', 'my-bot');
    chmodSync(join(codeDir(), 'main.py'), 0o644);
    writeFileSync(join(codeDir(), 'main.py'), 'print(2)\n');
    await expect(buffer(stream)).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
  });

  it('has fixed times, no owner and no link to the result', async () => {
    await publish(FILES('1.0.0'));
    const tar = gunzipSync(await exported());
    const names = [...tar.toString('latin1').matchAll(/([\w./-]+)\0+000644 /g)].map(([, name]) => name);
    expect(names).toEqual(['bot-config.yaml', 'bot-schema.json', 'data/a.csv', 'main.py']);
    expect(tar.toString('latin1', 136, 147)).toBe('00000000000');
  });
});

describe('inspect', () => {
  it('says what publishing would do, and stores nothing', async () => {
    const preview = PackagePreview.parse(await inspect(FILES('1.0.0')));
    expect(preview).toMatchObject({
      published: false,
      changes: null,
      custom_bot: { name: 'my-bot', version: '1.0.0' },
    });
    expect(catalog.list('user_1')).toEqual([]);
    expect(readdirSync(join(box, 'here'))).toEqual(['.incoming']);
    expect(readdirSync(join(box, 'here/.incoming'))).toEqual([]);
    expect((await publish(FILES('1.0.0'))).record.hash).toBe(preview.custom_bot.hash);
    expect(await inspect(FILES('1.0.0'))).toMatchObject({ published: true, changes: null });
  });

  it('tells what is different from the version before: permits, settings and files', async () => {
    await publish(FILES('1.0.0'));
    await publish(FILES('3.0.0'));
    const { 'data/a.csv': _, ...rest } = FILES('2.0.0', '  secrets: [KRAKEN_KEY]\n');
    const preview = await inspect({ ...rest, 'bot-schema.json': SCHEMA(20), 'more.py': 'x' });
    expect(preview.custom_bot.install_sheet).toMatchObject({ since: '1.0.0', added: ['secret: KRAKEN_KEY'] });
    expect(preview.changes).toMatchObject({ from: '1.0.0', total: 4 });
    expect(preview.changes?.items.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'changed bot-config.yaml',
      'changed bot-schema.json',
      'removed data/a.csv',
      'added more.py',
    ]);
    expect(preview.changes?.settings).toEqual([{ name: 'n', kind: 'changed', what: [expect.stringContaining('20')] }]);
  });

  it('does not call a compiled program changed that its package does not call executable', async () => {
    await publishCompiled();
    const dir = codeDir();
    const elf = await buffer((await catalog.export('user_1', 'my-bot')).stream);
    expect((await catalog.inspect('user_1', streamOf(elf))).published).toBe(true);
    expect(dir).toBe(codeDir());
  });

  it('refuses what publishing refuses, a removed version with other content too', async () => {
    await publish(FILES('1.0.0'));
    const other = { ...FILES('1.0.0'), 'main.py': 'print(2)\n' };
    expect((await failure(inspect(other))).code).toBe('VERSION_EXISTS');
    await catalog.remove('user_1', 'my-bot', '1.0.0');
    expect((await failure(inspect(other))).code).toBe('VERSION_EXISTS');
    expect((await failure(publish(other))).code).toBe('VERSION_EXISTS');
    expect(await inspect(FILES('1.0.0'))).toMatchObject({ published: false });
    const { 'main.py': _, ...without } = FILES('1.1.0');
    expect((await failure(inspect(without))).code).toBe('INVALID_PACKAGE');
    expect(readdirSync(join(box, 'here/.incoming'))).toEqual([]);
  });

  it('names what it leaves out of a zip, up to twenty and a count', async () => {
    const logs = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`n${String(i).padStart(2, '0')}.log`, 'x']));
    const files = Object.entries({ ...FILES('1.0.0'), '.env': 'KEY=1', ...logs });
    const zip = rawZip(files.map(([name, content]) => ({ name: `my-bot/${name}`, content })));
    const { custom_bot, warnings } = await catalog.inspect('user_1', streamOf(zip));
    expect(custom_bot.files).toBe(4);
    expect(warnings).toHaveLength(21);
    expect(warnings[0]).toMatchObject({ file: '.env', message: 'is not in the package' });
    expect(warnings[20]).toMatchObject({ file: 'n19.log', message: 'and 5 more are not in the package' });
  });
});

describe('a wanted content hash', () => {
  it('is checked before anything is stored', async () => {
    const { custom_bot } = await inspect(FILES('1.0.0'));
    const archive = () => streamOf(tarGz(entries(FILES('1.0.0'))));
    const wrong = 'a'.repeat(64);
    const error = await failure(catalog.publish('user_1', archive(), { hash: wrong }));
    expect(error.code).toBe('INVALID_PACKAGE');
    expect(error.message).toContain(`${custom_bot.hash}, not ${wrong}`);
    expect(catalog.list('user_1')).toEqual([]);
    expect((await catalog.publish('user_1', archive(), { hash: custom_bot.hash })).created).toBe(true);
  });
});
