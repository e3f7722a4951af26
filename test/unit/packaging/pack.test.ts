import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlatformError, type Problem } from '../../../src/contract/errors.ts';
import { type PackProgress, packFolder } from '../../../src/packaging/pack.ts';
import { listPackageFiles } from '../../../src/packaging/project-files.ts';
import { unpackPackage } from '../../../src/packaging/unpack.ts';

let box: string;

beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), 'pack-'));
});
afterEach(() => rmSync(box, { recursive: true, force: true }));

function project(name: string, files: Readonly<Record<string, string>>): string {
  const dir = join(box, name);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return dir;
}

const listed = async (dir: string, keep: readonly string[] = []) =>
  (await listPackageFiles(dir, { keep })).map(({ path }) => path);

async function problems(work: Promise<unknown>): Promise<Problem[]> {
  try {
    await work;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'INVALID_PACKAGE') return error.details as Problem[];
    throw error;
  }
  throw new Error('it was packed');
}

describe('listPackageFiles', () => {
  it('leaves out version control, caches, secrets and tests, and takes dependencies whole', async () => {
    const dir = project('bot', {
      'main.py': '',
      'bot-config.yaml': '',
      'lib/a.py': '',
      '.gitignore': '',
      '.git/config': '',
      '.env': '',
      '.env.local': '',
      '__pycache__/main.pyc': '',
      'lib/__pycache__/a.pyc': '',
      'tests/test_a.py': '',
      '.venv/x': '',
      'run.log': '',
      '.platform/node/x': '',
      'vendor/pkg/tests/t.py': '',
      'vendor/pkg/x.log': '',
      'vendor/pkg/__pycache__/m.pyc': '',
      'vendor/pkg/.git/config': '',
      'node_modules/m/test/t.js': '',
      'coverage/index.html': '',
    });
    expect(await listed(dir)).toEqual([
      'bot-config.yaml',
      'lib/a.py',
      'main.py',
      'node_modules/m/test/t.js',
      'vendor/pkg/tests/t.py',
      'vendor/pkg/x.log',
    ]);
  });

  it('leaves out what a writer has left beside its target', async () => {
    const dir = project('left', { 'bot.py': '', '.tmp-12-3': 'half', 'src/.tmp-4-56': '' });
    expect(await listed(dir)).toEqual(['bot.py']);
  });

  it.skipIf(process.platform === 'win32')('waits for no pipe, and reads no device without end', async () => {
    const dir = project('odd', { 'bot.py': '' });
    execFileSync('mkfifo', [join(dir, '.platformignore')]);
    expect(await problems(listed(dir))).toMatchObject([{ path: '.platformignore', message: 'is no file' }]);
    rmSync(join(dir, '.platformignore'));
    symlinkSync('/dev/zero', join(dir, '.platformignore'));
    expect(await problems(listed(dir))).toMatchObject([{ path: '.platformignore', message: 'is no file' }]);
  });

  it('.platformignore replaces the guesses, with gitignore rules, but not the guard of secrets', async () => {
    const dir = project('bot', {
      '.platformignore': '# data\n*.csv\n!keep.csv\n/docs/\nvendor/\n!.env.example\n',
      'a.csv': '',
      'keep.csv': '',
      'docs/x.md': '',
      'sub/docs/y.md': '',
      'tests/t.py': '',
      '.env': '',
      '.env.example': '',
      'vendor/v.py': '',
    });
    expect(await listed(dir)).toEqual([
      '.env.example',
      '.platformignore',
      'keep.csv',
      'sub/docs/y.md',
      'tests/t.py',
      'vendor/v.py',
    ]);
  });

  it('keeps what bot-config.yaml names even where a pattern excludes it', async () => {
    const dir = project('bot', { '.platformignore': 'build/\n', 'build/bot': 'x', 'build/bot.o': 'x', 'main.cpp': '' });
    expect(await listed(dir, ['build/bot', 'missing', '../x'])).toEqual(['.platformignore', 'build/bot', 'main.cpp']);
  });

  it('refuses links with the fix, all of them at once, but skips launchers of npm', async () => {
    const dir = project('bot', { 'main.js': '', 'node_modules/m/index.js': '', 'lib/x': '' });
    mkdirSync(join(dir, 'node_modules/.bin'));
    symlinkSync('../m/index.js', join(dir, 'node_modules/.bin/m'));
    expect(await listed(dir)).toEqual(['lib/x', 'main.js', 'node_modules/m/index.js']);
    symlinkSync('/etc/passwd', join(dir, 'passwd'));
    symlinkSync('lib', join(dir, 'lib2'));
    const found = await problems(listPackageFiles(dir));
    expect(found.map(({ path }) => path).sort()).toEqual(['lib2', 'passwd']);
    expect(found[0]?.message).toMatch(/symbolic link/);
    expect(found[0]?.hint).toMatch(/\.platformignore/);
  });

  it('refuses names that another system cannot store', async () => {
    const dir = project('bot', { 'aux.py': '', Readme: '', README: '', 'a:b': '' });
    const found = await problems(listPackageFiles(dir));
    expect(found.map(({ path }) => path).sort()).toEqual(
      ['Readme', 'a:b', 'aux.py'].sort().map((p) => (p === 'Readme' ? expect.stringMatching(/^readme$/i) : p)),
    );
  });

  it('takes overlays in place of folders of the project', async () => {
    const dir = project('bot', { 'main.js': '', 'node_modules/dev/x.js': 'dev' });
    const overlay = project('made', { 'prod/x.js': 'prod' });
    const files = await listPackageFiles(dir, { overlays: { node_modules: overlay } });
    expect(files.map(({ path }) => path)).toEqual(['main.js', 'node_modules/prod/x.js']);
    expect(readFileSync(files[1]?.source ?? '', 'utf8')).toBe('prod');
  });
});

describe('packFolder', () => {
  const content = {
    'main.py': 'print(1)\n',
    'lib/b.py': 'b',
    'lib/a.py': 'a',
    empty: '',
    'run.sh': '#!/bin/sh\n',
    '\u00fc\u{1F600}.txt': 'x',
  };

  async function packed(dir: string) {
    const made = await packFolder(dir);
    const bytes = await buffer(made.stream);
    return { bytes, ...made.summary() };
  }

  it('gives the same bytes and hash for the same files, whatever times, order of creation and umask were', async () => {
    const one = project('one', content);
    chmodSync(join(one, 'run.sh'), 0o744);
    const umask = process.umask(0o077);
    let two: string;
    try {
      two = project('two', Object.fromEntries(Object.entries(content).reverse()));
    } finally {
      process.umask(umask);
    }
    chmodSync(join(two, 'run.sh'), 0o700);
    for (const path of Object.keys(content)) utimesSync(join(two, path), 1, 1_600_000_000);
    const first = await packed(one);
    const second = await packed(two);
    expect(second.hash).toBe(first.hash);
    expect(second.bytes.equals(first.bytes)).toBe(true);
    expect(first.packedBytes).toBe(first.bytes.length);
  });

  it.each([
    ['content', (dir: string) => writeFileSync(join(dir, 'main.py'), 'print(2)\n')],
    ['a name', (dir: string) => writeFileSync(join(dir, 'new'), '')],
    ['the executable bit', (dir: string) => chmodSync(join(dir, 'main.py'), 0o755)],
  ])('another hash for another %s', async (_what, change) => {
    const dir = project('bot', content);
    const before = await packed(dir);
    change(dir);
    expect((await packed(dir)).hash).not.toBe(before.hash);
  });

  it('makes what unpackPackage takes, with the same hash', async () => {
    const dir = project('bot', { ...content, [`${'deep/'.repeat(20)}${'f'.repeat(90)}.txt`]: 'long' });
    const made = await packFolder(dir);
    const target = mkdtempSync(join(box, 'in-'));
    const unpacked = await unpackPackage(made.stream, target);
    expect(unpacked.hash).toBe(made.summary().hash);
    expect(unpacked.files.length).toBe(made.files.length);
    expect(readFileSync(join(target, '\u00fc\u{1F600}.txt'), 'utf8')).toBe('x');
  });

  it('is larger than one buffer: a 5 MB file survives whole', async () => {
    const dir = project('bot', { big: 'abcdefgh'.repeat(640_000) });
    const { bytes } = await packed(dir);
    expect(
      gunzipSync(bytes)
        .subarray(512, 512 + 5_120_000)
        .equals(readFileSync(join(dir, 'big'))),
    ).toBe(true);
  });

  it('tells progress up to the whole', async () => {
    const seen: PackProgress[] = [];
    const made = await packFolder(project('bot', content), { onProgress: (progress) => seen.push(progress) });
    await buffer(made.stream);
    expect(seen.at(-1)).toMatchObject({
      files: 6,
      totalFiles: 6,
      bytes: made.unpackedBytes,
      totalBytes: made.unpackedBytes,
    });
  });

  it.each([
    ['a small file', 'first', 'something longer'],
    ['a large file', 'x'.repeat(300_000), 'x'.repeat(300_001)],
    ['a large file that shrinks', 'x'.repeat(300_000), 'x'.repeat(299_999)],
  ])('tells when %s changes under it', async (_what, before, after) => {
    // What stands in front waits for its reader, so nothing of `a` has been read yet.
    const dir = project('bot', { '0': randomBytes(1_000_000).toString('base64'), a: before });
    const made = await packFolder(dir);
    writeFileSync(join(dir, 'a'), after);
    await expect(buffer(made.stream)).rejects.toThrow(/a changed while it was being packed/);
    expect(() => made.summary()).toThrow(/not finished/);
  });

  it('stops when asked to', async () => {
    const made = await packFolder(project('bot', content), { signal: AbortSignal.abort(new Error('enough')) });
    await expect(buffer(made.stream)).rejects.toThrow('enough');
  });
});
