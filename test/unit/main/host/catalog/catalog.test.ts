import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CustomBotSummary, DescribedVersion } from '../../../../../src/contract/custom-bot.ts';
import { PlatformError, type Problem } from '../../../../../src/contract/errors.ts';
import { type Catalog, type CatalogUse, createCatalog } from '../../../../../src/main/host/catalog/catalog.ts';
import { removeTree } from '../../../../../src/node/remove-tree.ts';
import { packFolder } from '../../../../../src/packaging/pack.ts';
import { streamOf, tarGz } from '../../../packaging/raw-tar.ts';
import { MemoryStore } from './memory-store.ts';

const YAML = `name: sma-crossover
version: "1.0.0"
type: realtime
runtime: python3.11
description: Crosses averages
author: Ada
entrypoints:
  bot: main.py
schema:
  bot: bot-schema.json
readme: README.md
colour: blue
`;
const SCHEMA = JSON.stringify({
  type: 'object',
  properties: { symbol: { type: 'string', default: 'AAPL' }, api_key: { type: 'string', format: 'password' } },
  additionalProperties: false,
});
const FILES: Readonly<Record<string, string>> = {
  'bot-config.yaml': YAML,
  'bot-schema.json': SCHEMA,
  'main.py': 'print(1)\n',
  'README.md': '# SMA\n',
};

let box: string;
let dir: string;
let store: MemoryStore;
let uses: CatalogUse[];
let awaiting: CatalogUse[];
let catalog: Catalog;
let now: number;

beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), 'catalog-'));
  dir = join(box, 'custom-bots');
  store = new MemoryStore();
  uses = [];
  awaiting = [];
  now = Date.UTC(2026, 0, 2);
  catalog = createCatalog({
    dir,
    store,
    clock: { now: () => now },
    usedBy: () => uses,
    awaitedBy: () => awaiting,
    target: { os: 'linux', arch: 'x64' },
  });
});
afterEach(() => removeTree(box));

const archive = (files: Readonly<Record<string, string | Buffer>>) =>
  streamOf(tarGz(Object.entries(files).map(([name, content]) => ({ name, content }))));
const publish = (changes: Readonly<Record<string, string | Buffer>> = {}, user = 'user_1') =>
  catalog.publish(user, archive({ ...FILES, ...changes }));
const version = (text: string) => ({ 'bot-config.yaml': YAML.replace('1.0.0', text) });

async function failure(work: Promise<unknown>): Promise<PlatformError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('it succeeded');
}
const problemsOf = (error: PlatformError) =>
  (error.details as Problem[]).map(({ path, message }) => `${path} ${message}`);
const thrown = (work: () => unknown): PlatformError => {
  try {
    work();
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('it succeeded');
};

describe('publish', () => {
  it.runIf(process.platform === 'linux')('records a version once all of it is on the disk', async () => {
    const handle = await open(box);
    const flushed = vi.spyOn(Object.getPrototypeOf(handle), 'sync');
    await handle.close();
    onTestFinished(() => flushed.mockRestore());
    let before = 0;
    const insert = store.insertVersion.bind(store);
    store.insertVersion = (row) => {
      before = flushed.mock.calls.length;
      insert(row);
    };
    await publish({ 'lib/deep/helper.py': 'x = 1\n' });
    // Its files, `lib`, `lib/deep` and the package's own folder.
    expect(before).toBe(Object.keys(FILES).length + 1 + 3);
  });

  it('makes a record from the files', async () => {
    const { record, created, warnings } = await publish();
    expect(created).toBe(true);
    expect(DescribedVersion.parse(record)).toEqual(record);
    expect(record).toMatchObject({
      name: 'sma-crossover',
      version: '1.0.0',
      type: 'realtime',
      runtime: 'python311',
      description: 'Crosses averages',
      author: 'Ada',
      entrypoints: { bot: 'main.py', query: null },
      readme: '# SMA\n',
      files: 4,
      config: { colour: 'blue' },
      created_at: '2026-01-02T00:00:00.000Z',
    });
    expect(record.size_bytes).toBe(Object.values(FILES).reduce((sum, text) => sum + text.length, 0));
    expect(warnings.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '12 colour is not a known field; it is kept',
    ]);
    expect(catalog.get('user_1', 'sma-crossover')).toEqual(record);
  });

  it('lays the code down in read-only files, which their owner can remove', async () => {
    const umask = process.umask(0o077);
    await publish({ 'lib/a.py': 'a' }).finally(() => process.umask(umask));
    const code = catalog.open('user_1', 'sma-crossover', '1.0.0').codeDir;
    expect(code).toBe(join(dir, 'user_1/sma-crossover/1.0.0'));
    expect(readFileSync(join(code, 'main.py'), 'utf8')).toBe('print(1)\n');
    for (const [path, mode] of [
      ['', 0o755],
      ['lib', 0o755],
      ['main.py', 0o444],
      ['lib/a.py', 0o444],
    ] as const)
      expect(statSync(join(code, path)).mode & 0o7777, path).toBe(mode);
    expect(readdirSync(join(dir, '.incoming'))).toEqual([]);
  });

  it('the same content again succeeds and changes nothing', async () => {
    const first = await publish();
    now += 1000;
    const again = await publish();
    expect(again).toMatchObject({ created: false, record: first.record });
    expect(store.rows.size).toBe(1);
    expect(readdirSync(join(dir, '.incoming'))).toEqual([]);
  });

  it('other content under the same version is refused, and the first stays', async () => {
    await publish();
    const error = await failure(publish({ 'main.py': 'print(2)\n' }));
    expect(error).toMatchObject({ code: 'VERSION_EXISTS', hint: expect.stringContaining('version: "1.0.1"') });
    expect(readFileSync(join(catalog.open('user_1', 'sma-crossover', '1.0.0').codeDir, 'main.py'), 'utf8')).toBe(
      'print(1)\n',
    );
    expect(readdirSync(join(dir, '.incoming'))).toEqual([]);
  });

  it('two uploads of one version at once: one is published, the other is told', async () => {
    const outcomes = await Promise.allSettled([publish(), publish({ 'main.py': 'print(2)\n' }), publish()]);
    const fulfilled = outcomes.filter((outcome) => outcome.status === 'fulfilled').length;
    expect(store.rows.size).toBe(1);
    expect([1, 2]).toContain(fulfilled);
    const [row] = store.list('user_1');
    const code = readFileSync(join(catalog.open('user_1', 'sma-crossover', '1.0.0').codeDir, 'main.py'), 'utf8');
    expect(code).toBe(row?.hash === (await publish({ 'main.py': code })).record.hash ? code : 'the wrong code');
  });

  it('takes what the packer makes', async () => {
    const project = join(box, 'project');
    for (const [path, text] of Object.entries({ ...FILES, '.env': 'SECRET=1' })) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    }
    const packed = await packFolder(project);
    const { record } = await catalog.publish('user_1', packed.stream);
    expect(record.hash).toBe(packed.summary().hash);
    expect(existsSync(join(catalog.open('user_1', 'sma-crossover', '1.0.0').codeDir, '.env'))).toBe(false);
  });

  it('leaves nothing behind when the record cannot be written', async () => {
    store.failNext = true;
    await expect(publish()).rejects.toThrow('disk is full');
    expect(existsSync(join(dir, 'user_1/sma-crossover/1.0.0'))).toBe(false);
    expect(readdirSync(join(dir, '.incoming'))).toEqual([]);
    expect((await publish()).created).toBe(true);
  });

  it('brings lost code back when the same content comes again', async () => {
    await publish();
    const code = catalog.open('user_1', 'sma-crossover', '1.0.0').codeDir;
    await removeTree(code);
    expect((await publish()).created).toBe(false);
    expect(existsSync(join(code, 'main.py'))).toBe(true);
  });

  const bad: [string, Record<string, string | Buffer>, string[]][] = [
    [
      'a broken yaml',
      { 'bot-config.yaml': YAML.replace('"1.0.0"', '1.10') },
      ['bot-config.yaml:2:10 version must be text, but without quotes YAML reads 1.10 as the number 1.1'],
    ],
    [
      'a missing entry',
      { 'bot-config.yaml': YAML.replace('main.py', 'src/main.py') },
      ['bot-config.yaml:8:8 entrypoints.bot names src/main.py, which is not in the package'],
    ],
    [
      'a missing schema',
      { 'bot-config.yaml': YAML.replace('bot-schema.json', 'schema.json') },
      ['bot-config.yaml:10:8 schema.bot names schema.json, which is not in the package'],
    ],
    [
      'several at once',
      {
        'bot-config.yaml': YAML.replace('main.py', 'x.py').replace('README.md', 'none.md'),
        'bot-schema.json': '{"type": "array"}',
      },
      [
        'bot-config.yaml:8:8 entrypoints.bot names x.py, which is not in the package',
        'bot-config.yaml:11:9 readme names none.md, which is not in the package',
        'bot-schema.json:1:10 the root of the schema must have "type": "object"',
      ],
    ],
    [
      'a readme that is not text',
      { 'README.md': Buffer.from([0xff, 0xfe, 0x00]) },
      ['README.md:1:1 README.md is not UTF-8 text'],
    ],
    [
      'a script for a compiled bot',
      { 'bot-config.yaml': YAML.replace('python3.11', 'gcc13'), 'main.py': '#!/bin/sh\n' },
      ['bot-config.yaml:8:8 main.py is a script (#!/bin/sh); bots run here as ELF programs for linux x64'],
    ],
  ];
  it.each(bad)('%s is told with file, line and column', async (_what, changes, expected) => {
    const error = await failure(publish(changes));
    expect(error.code).toBe('INVALID_PACKAGE');
    expect(problemsOf(error)).toEqual(expected);
    expect(store.rows.size).toBe(0);
    expect(readdirSync(join(dir, '.incoming'))).toEqual([]);
  });

  it('says where bot-config.yaml is when it is two folders down', async () => {
    const error = await failure(catalog.publish('user_1', archive({ 'all/bot/bot-config.yaml': YAML })));
    expect(error.message).toMatch(/no bot-config\.yaml at its root/);
    expect(error.hint).toMatch(/all\/bot\/bot-config\.yaml/);
  });

  it('a hostile archive leaves no trace', async () => {
    const error = await failure(catalog.publish('user_1', streamOf(tarGz([{ name: '../../evil', content: 'x' }]))));
    expect(error.code).toBe('INVALID_PACKAGE');
    expect(readdirSync(box)).toEqual(['custom-bots']);
    expect(readdirSync(dir)).toEqual(['.incoming']);
  });

  it('makes the program of a compiled bot executable', async () => {
    const elf = Buffer.alloc(64);
    elf.write('\x7fELF\x02\x01', 'latin1');
    elf.writeUInt16LE(3, 16);
    elf.writeUInt16LE(62, 18);
    await publish({
      'bot-config.yaml': YAML.replace('python3.11', 'cpp-gcc13').replace('main.py', './build/bot'),
      'build/bot': elf,
    });
    expect(statSync(join(catalog.open('user_1', 'sma-crossover', '1.0.0').codeDir, 'build/bot')).mode & 0o777).toBe(
      0o555,
    );
    expect(catalog.get('user_1', 'sma-crossover').runtime).toBe('gcc13');
  });
});

describe('reading', () => {
  beforeEach(async () => {
    await publish(version('1.9.0'));
    now += 5000;
    await publish(version('1.10.0'));
    now += 5000;
    await publish(version('1.2.0'));
  });

  it('an omitted version is the highest by number', () => {
    expect(catalog.get('user_1', 'sma-crossover').version).toBe('1.10.0');
    expect(catalog.schema('user_1', 'sma-crossover')).toEqual({
      name: 'sma-crossover',
      version: '1.10.0',
      schema: JSON.parse(SCHEMA),
    });
    expect(catalog.get('user_1', 'sma-crossover', '1.9.0').version).toBe('1.9.0');
  });

  it('list groups versions', () => {
    uses = [
      { name: 'a', version: '1.2.0' },
      { name: 'b', version: '1.9.0' },
    ];
    const list = catalog.list('user_1');
    expect(list.map((item) => CustomBotSummary.parse(item))).toEqual(list);
    expect(list).toMatchObject([
      {
        name: 'sma-crossover',
        latest_version: '1.10.0',
        versions: ['1.10.0', '1.9.0', '1.2.0'],
        bots: 2,
        created_at: '2026-01-02T00:00:00.000Z',
        updated_at: '2026-01-02T00:00:10.000Z',
      },
    ]);
  });

  it('not found tells what there is', () => {
    const version = thrown(() => catalog.get('user_1', 'sma-crossover', '9.9.9'));
    expect(version).toMatchObject({
      code: 'CUSTOM_BOT_NOT_FOUND',
      message: 'Custom bot not found',
      hint: '"sma-crossover" has these versions: 1.10.0, 1.9.0, 1.2.0',
    });
    expect(thrown(() => catalog.get('user_1', 'sma-crosover')).hint).toBe(
      'Did you mean "sma-crossover"? Published: sma-crossover',
    );
    for (const odd of ['../../etc', '', 'constructor', '__proto__'])
      expect(thrown(() => catalog.open('user_1', odd, '1.0.0').codeDir).code).toBe('CUSTOM_BOT_NOT_FOUND');
  });

  it('tells of a version what it asks for beyond the highest one below it', async () => {
    const asks = (number: string, host: string) => ({
      'bot-config.yaml': `${YAML.replace('1.0.0', number)}permits: {network: [{host: ${host}, port: 443, tls: true}]}\n`,
    });
    await publish(asks('1.2.0', 'a.example.com'), 'user_b');
    const { record } = await publish(asks('1.10.0', 'b.example.com'), 'user_b');
    expect(record.install_sheet).toEqual({
      declares: true,
      wants: ['network: b.example.com, port 443, with TLS'],
      since: '1.2.0',
      added: ['network: b.example.com, port 443, with TLS'],
      removed: ['network: a.example.com, port 443, with TLS'],
    });
    expect(catalog.get('user_b', 'sma-crossover').install_sheet).toEqual(record.install_sheet);
    expect(catalog.get('user_b', 'sma-crossover', '1.2.0').install_sheet).toMatchObject({ since: null, added: [] });
    const { permits } = catalog.open('user_b', 'sma-crossover', '1.2.0');
    expect(permits).toEqual({ network: [{ host: 'a.example.com', port: 443, tls: true }] });
  });

  it('another user sees nothing of it', () => {
    expect(catalog.list('user_2')).toEqual([]);
    const error = thrown(() => catalog.get('user_2', 'sma-crossover'));
    expect(error.message).toBe('Custom bot not found');
    expect(error.hint).not.toContain('sma-crossover');
  });

  it('opens a version to run', () => {
    const code = catalog.open('user_1', 'sma-crossover', '1.9.0');
    expect(code).toMatchObject({ botType: 'realtime', runtime: 'python311', botEntry: 'main.py', queryEntry: null });
    expect(code.prewarmsQueries).toBe(false);
    expect(existsSync(join(code.codeDir, code.botEntry))).toBe(true);
    const { effective, problems } = code.validate({ api_key: 'k1' });
    expect([effective, problems]).toEqual([{ api_key: 'k1', symbol: 'AAPL' }, []]);
    expect(code.secrets(effective)).toEqual(['k1']);
    expect(code.redact(effective)).toEqual({ api_key: '********', symbol: 'AAPL' });
    expect(code.restore({ api_key: '********', symbol: 'X' }, effective)).toEqual({ api_key: 'k1', symbol: 'X' });
    expect(code.validate({ symbl: 1 }).problems).toHaveLength(1);
  });
});

describe('remove', () => {
  it('refuses while a bot runs that version, and names it', async () => {
    await publish();
    await publish(version('1.1.0'));
    uses = [{ name: 'my "bot"', version: '1.0.0' }];
    const error = await failure(catalog.remove('user_1', 'sma-crossover', '1.0.0'));
    expect(error).toMatchObject({
      code: 'VERSION_IN_USE',
      message: 'Version 1.0.0 of "sma-crossover" is in use by "my \\"bot\\""',
    });
    await catalog.remove('user_1', 'sma-crossover', '1.1.0');
    expect(catalog.get('user_1', 'sma-crossover').version).toBe('1.0.0');
  });

  it('refuses while a change to the version waits for a person', async () => {
    await publish();
    awaiting = [{ name: 'my bot', version: '1.0.0' }];
    expect(await failure(catalog.remove('user_1', 'sma-crossover', '1.0.0'))).toMatchObject({
      code: 'VERSION_IN_USE',
      message: 'A change to version 1.0.0 of "sma-crossover" waits for a person, of "my bot"',
    });
    awaiting = [{ name: 'my bot', version: '1.0.1' }];
    await catalog.remove('user_1', 'sma-crossover', '1.0.0');
  });

  it('removes record and code; the version can be published again with the same content, and never with other', async () => {
    await publish();
    const code = catalog.open('user_1', 'sma-crossover', '1.0.0').codeDir;
    await catalog.remove('user_1', 'sma-crossover', '1.0.0');
    expect(existsSync(code)).toBe(false);
    expect((await failure(catalog.remove('user_1', 'sma-crossover', '1.0.0'))).code).toBe('CUSTOM_BOT_NOT_FOUND');
    expect(await failure(publish({ 'main.py': 'print(3)\n' }))).toMatchObject({
      code: 'VERSION_EXISTS',
      hint: expect.stringContaining('"1.0.1"'),
    });
    expect((await publish()).created).toBe(true);
  });
});

describe('the files of a version', () => {
  it('are listed with sizes; a text is shown, other bytes are not', async () => {
    const latin1 = Buffer.from([0x67, 0xfc, 0x0a]);
    await publish({ 'lib/a.py': 'a = "ü"\n', 'data.bin': Buffer.from([1, 0, 2]), 'old.txt': latin1, 'empty.txt': '' });
    const { items, total, version: which } = await catalog.files('user_1', 'sma-crossover');
    expect([which, total]).toEqual(['1.0.0', 8]);
    expect(items.map(({ path, size_bytes }) => [path, size_bytes])).toEqual([
      ['README.md', 6],
      ['bot-config.yaml', YAML.length],
      ['bot-schema.json', SCHEMA.length],
      ['data.bin', 3],
      ['empty.txt', 0],
      ['lib/a.py', 9],
      ['main.py', 9],
      ['old.txt', 3],
    ]);
    const text = async (path: string) => (await catalog.file('user_1', 'sma-crossover', '1.0.0', path)).text;
    expect(await text('lib/a.py')).toBe('a = "ü"\n');
    expect(await text('empty.txt')).toBe('');
    expect(await text('data.bin')).toBeNull();
    expect(await text('old.txt')).toBeNull();
    expect((await failure(catalog.file('user_2', 'sma-crossover', '1.0.0', 'main.py'))).code).toBe(
      'CUSTOM_BOT_NOT_FOUND',
    );
  });

  it('of a long text the beginning is shown, without half a character', async () => {
    const long = `x${'ü'.repeat(300 * 1024)}`;
    await publish({ 'long.txt': long });
    const file = await catalog.file('user_1', 'sma-crossover', undefined, 'long.txt');
    expect([file.truncated, file.size_bytes]).toEqual([true, Buffer.byteLength(long)]);
    expect(file.text).toBe(`x${'ü'.repeat(256 * 1024 - 1)}`);
  });

  it.runIf(process.platform !== 'win32')('lead nowhere else, whatever a bot makes of its folder', async () => {
    await publish({ 'lib/a.py': 'a\n' });
    const { codeDir } = catalog.open('user_1', 'sma-crossover', '1.0.0');
    mkdirSync(join(box, 'secrets'));
    writeFileSync(join(box, 'secrets/host.json'), 'secret');
    symlinkSync(join(box, 'secrets'), join(codeDir, 'away'));
    symlinkSync(join(box, 'secrets/host.json'), join(codeDir, 'leak.txt'));
    execFileSync('mkfifo', [join(codeDir, 'pipe')]);
    const { items } = await catalog.files('user_1', 'sma-crossover');
    expect(items.map(({ path }) => path)).toEqual([...Object.keys(FILES), 'lib/a.py'].sort());
    const paths = ['away/host.json', 'leak.txt', 'pipe', 'lib', 'result.json', '../1.0.0/main.py', '/etc/passwd', ''];
    const answers = paths.map((path) => failure(catalog.file('user_1', 'sma-crossover', '1.0.0', path)));
    expect((await Promise.all(answers)).map(({ code }) => code)).toEqual(paths.map(() => 'FILE_NOT_FOUND'));
    renameSync(codeDir, join(box, 'moved'));
    symlinkSync(join(box, 'secrets'), codeDir);
    expect((await catalog.files('user_1', 'sma-crossover')).items).toEqual([]);
    expect((await failure(catalog.file('user_1', 'sma-crossover', '1.0.0', 'host.json'))).code).toBe('FILE_NOT_FOUND');
    rmSync(codeDir);
  });

  it('are compared by what they hold', async () => {
    await publish({ 'gone.txt': 'x', 'same.bin': Buffer.alloc(200_000, 7), 'other.bin': Buffer.alloc(200_000, 7) });
    const other = Buffer.alloc(200_000, 7);
    other[199_999] = 8;
    await publish({ ...version('1.1.0'), 'same.bin': Buffer.alloc(200_000, 7), 'other.bin': other, 'new.txt': 'yy' });
    const { items, total } = await catalog.diff('user_1', 'sma-crossover', '1.0.0', '1.1.0');
    expect(total).toBe(4);
    expect(items.map(({ path, kind, before, after }) => [path, kind, before?.size_bytes, after?.size_bytes])).toEqual([
      ['bot-config.yaml', 'changed', YAML.length, YAML.length],
      ['gone.txt', 'removed', 1, undefined],
      ['new.txt', 'added', undefined, 2],
      ['other.bin', 'changed', 200_000, 200_000],
    ]);
    expect((await catalog.diff('user_1', 'sma-crossover', '1.0.0', '1.0.0')).items).toEqual([]);
    expect((await failure(catalog.diff('user_1', 'sma-crossover', '1.0.0', '9.0.0'))).code).toBe(
      'CUSTOM_BOT_NOT_FOUND',
    );
  });
});

describe('sweep', () => {
  it('removes unfinished uploads and folders without a record, and tells whose code is gone', async () => {
    await publish();
    await publish(version('1.1.0'));
    const code = catalog.open('user_1', 'sma-crossover', '1.0.0').codeDir;
    cpSync(code, join(dir, 'user_1/sma-crossover/7.0.0'), { recursive: true });
    cpSync(code, join(dir, '.incoming/half'), { recursive: true });
    await removeTree(catalog.open('user_1', 'sma-crossover', '1.1.0').codeDir);
    const { removed, missing } = await catalog.sweep();
    expect([...removed].sort()).toEqual(['.incoming/half', 'user_1/sma-crossover/7.0.0']);
    expect(missing).toEqual(['user_1/sma-crossover/1.1.0']);
    expect(readdirSync(join(dir, 'user_1/sma-crossover'))).toEqual(['1.0.0']);
    expect(await catalog.sweep()).toEqual({ removed: [], missing });
  });

  it.runIf(process.platform !== 'win32')('makes the read-only folders of early releases writable', async () => {
    await publish({ 'lib/deep/a.py': 'a' });
    const code = catalog.open('user_1', 'sma-crossover', '1.0.0').codeDir;
    const folders = ['lib/deep', 'lib', ''].map((path) => join(code, path));
    const orphan = join(dir, 'user_1/sma-crossover/7.0.0');
    cpSync(code, orphan, { recursive: true });
    for (const folder of [...folders, join(orphan, 'lib'), orphan]) chmodSync(folder, 0o555);
    expect(await catalog.sweep()).toEqual({ removed: ['user_1/sma-crossover/7.0.0'], missing: [] });
    for (const folder of folders) expect(statSync(folder).mode & 0o7777, folder).toBe(0o755);
    expect(statSync(join(code, 'lib/deep/a.py')).mode & 0o7777).toBe(0o444);
  });

  it('an orphan does not stand in the way of a publication', async () => {
    mkdirSync(join(dir, 'user_1/sma-crossover/1.0.0'), { recursive: true });
    writeFileSync(join(dir, 'user_1/sma-crossover/1.0.0/stale'), '');
    await publish();
    expect(existsSync(join(catalog.open('user_1', 'sma-crossover', '1.0.0').codeDir, 'stale'))).toBe(false);
  });
});
