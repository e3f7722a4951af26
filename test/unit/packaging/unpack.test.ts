import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlatformError, type Problem } from '../../../src/contract/errors.ts';
import { contentHash } from '../../../src/packaging/content-hash.ts';
import { unpackPackage } from '../../../src/packaging/unpack.ts';
import type { UnpackLimits } from '../../../src/packaging/unpack-limits.ts';
import { END, paxHeader, type RawEntry, streamOf, tarEntry, tarGz } from './raw-tar.ts';

let box: string;
let target: string;

beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), 'unpack-'));
  target = mkdtempSync(join(box, 'in-'));
});
afterEach(() => rmSync(box, { recursive: true, force: true }));

async function refusal(bytes: Buffer, limits: Partial<UnpackLimits> = {}): Promise<PlatformError> {
  try {
    await unpackPackage(streamOf(bytes), target, limits);
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('the package was accepted');
}

const problemsOf = (error: PlatformError) => error.details as Problem[];
const ok: RawEntry = { name: 'ok.txt', content: 'fine' };

describe('a good package', () => {
  it('is written with contents, and two modes only', async () => {
    const bytes = tarGz([
      { name: 'src/', type: '5', mode: 0o777 },
      { name: 'src/main.py', content: 'print(1)', mode: 0o666 },
      { name: 'run', content: '#!/bin/sh\n', mode: 0o4755 },
      { name: 'empty', content: '' },
    ]);
    const result = await unpackPackage(streamOf(bytes, 7), target);
    expect(result.files.map(({ path, size, executable }) => [path, size, executable])).toEqual([
      ['empty', 0, false],
      ['run', 10, true],
      ['src/main.py', 8, false],
    ]);
    expect(result.bytes).toBe(18);
    expect(result.hash).toBe(contentHash(result.files));
    expect(readFileSync(join(target, 'src/main.py'), 'utf8')).toBe('print(1)');
    expect(statSync(join(target, 'src/main.py')).mode & 0o7777).toBe(0o444);
    expect(statSync(join(target, 'run')).mode & 0o7777).toBe(0o555);
  });

  it('may come from `tar -C dir .`: a leading ./ is dropped', async () => {
    const bytes = tarGz([
      { name: './', type: '5' },
      { name: './main.py', content: 'x' },
    ]);
    expect((await unpackPackage(streamOf(bytes), target)).files.map(({ path }) => path)).toEqual(['main.py']);
  });

  it('may be a tar that is not compressed, also one whose first file has the name of a kind', async () => {
    const bytes = Buffer.concat([tarEntry({ name: 'PK', content: 'x' }), tarEntry({ name: 'b', content: 'y' }), END]);
    expect((await unpackPackage(streamOf(bytes, 100), target)).files.map(({ path }) => path)).toEqual(['PK', 'b']);
  });

  it('may hold the project in one folder, beside the notes of macOS', async () => {
    const bytes = tarGz([
      { name: '._bot', content: 'note' },
      { name: 'bot/', type: '5' },
      { name: 'bot/._bot-config.yaml', content: 'note' },
      { name: 'bot/bot-config.yaml', content: 'name: x' },
      { name: 'bot/src/main.py', content: 'x' },
    ]);
    const { files, hash } = await unpackPackage(streamOf(bytes), target);
    expect(files.map(({ path }) => path)).toEqual(['bot-config.yaml', 'src/main.py']);
    expect(readdirSync(target).sort()).toEqual(['bot-config.yaml', 'src']);
    expect(readdirSync(box)).toEqual([target.slice(box.length + 1)]);
    const plain = tarGz([
      { name: 'bot-config.yaml', content: 'name: x' },
      { name: 'src/main.py', content: 'x' },
    ]);
    expect((await unpackPackage(streamOf(plain), mkdtempSync(join(box, 'plain-')))).hash).toBe(hash);
  });

  it('leaves out of a folder what a deployment leaves out, such as keys and the history of its code', async () => {
    const bytes = tarGz([
      { name: 'bot/bot-config.yaml', content: 'name: x' },
      { name: 'bot/.env', content: 'KEY=secret' },
      { name: 'bot/.git/', type: '5' },
      { name: 'bot/.git/config', content: 'https://me:secret@git' },
      { name: 'bot/.platformignore', content: 'notes/\n' },
      { name: 'bot/notes/plan.md', content: 'x' },
      { name: 'bot/src/main.py', content: 'x' },
    ]);
    const { files, leftOut } = await unpackPackage(streamOf(bytes), target);
    expect(files.map(({ path }) => path)).toEqual(['.platformignore', 'bot-config.yaml', 'src/main.py']);
    expect(leftOut).toEqual(['.env', '.git/', 'notes/']);
    expect(readdirSync(target).sort()).toEqual(['.platformignore', 'bot-config.yaml', 'src']);
  });

  it('may hold long names in extended headers', async () => {
    const name = `${'folder/'.repeat(20)}${'n'.repeat(60)}.py`;
    const bytes = tarGz([paxHeader({ path: name }), { name: 'short', content: 'long name' }]);
    await unpackPackage(streamOf(bytes), target);
    expect(readFileSync(join(target, name), 'utf8')).toBe('long name');
  });

  it('has the same hash whatever its order, times and compression', async () => {
    const a = tarEntry({ name: 'a', content: 'A' });
    const b = tarEntry({ name: 'b', content: 'B' });
    const one = await unpackPackage(streamOf(gzipSync(Buffer.concat([a, b, END]), { level: 1 })), target);
    const two = await unpackPackage(
      streamOf(gzipSync(Buffer.concat([b, a, END, END]), { level: 9 })),
      mkdtempSync(join(box, 'second-')),
    );
    expect(two.hash).toBe(one.hash);
  });
});

describe('names', () => {
  const hostile: [string, RawEntry | Buffer, RegExp][] = [
    ['parent', { name: '../evil' }, /contains "\.\."/],
    ['parent inside', { name: 'a/../../evil' }, /contains "\.\."/],
    ['current folder inside', { name: 'a/./b' }, /contains "\."/],
    ['absolute', { name: '/etc/evil' }, /absolute path/],
    ['drive letter', { name: 'C:/evil' }, /absolute path/],
    ['drive relative', { name: 'c:evil' }, /absolute path/],
    ['alternate data stream', { name: 'a.txt:evil' }, /Windows cannot store/],
    ['backslash', { name: 'a\\..\\evil' }, /backslash/],
    ['unc', { name: '\\\\host\\share' }, /backslash/],
    ['empty part', { name: 'a//b' }, /empty part/],
    ['reserved', { name: 'sub/CON' }, /Windows reserves/],
    ['reserved with extension', { name: 'aux.py' }, /Windows reserves/],
    ['trailing dot', { name: 'a./b' }, /ends with a dot/],
    ['trailing space', { name: 'a ' }, /ends with a dot or a space/],
    ['control character', { name: 'a\nb' }, /control character/],
    ['right-to-left override', { name: 'a\u202Egpj.py' }, /control character/],
    ['zero width space', { name: 'ma\u200Bin.py' }, /not seen/],
    ['zero width joiner in a folder', { name: 'l\u200Dib/main.py' }, /not seen/],
    ['word joiner', { name: 'main\u2060.py' }, /not seen/],
    ['byte order mark', { name: '\uFEFFmain.py' }, /not seen/],
    ['soft hyphen', { name: 'ma\u00ADin.py' }, /not seen/],
    ['left-to-right mark', { name: 'main\u200E.py' }, /not seen/],
    ['Arabic letter mark', { name: 'main\u061C.py' }, /not seen/],
    ['variation selector', { name: 'main\uFE0F.py' }, /not seen/],
    ['letter that is drawn as nothing', { name: 'main\u3164.py' }, /not seen/],
    ['tag characters', { name: 'main\u{E0041}.py' }, /not seen/],
    ['right-to-left isolate', { name: 'a\u2067gpj.py' }, /control character/],
    ['zero width by extended header', paxHeader({ path: 'ma\u200Bin.py' }), /not seen/],
    ['not UTF-8', { name: Buffer.from([0x61, 0xff, 0xfe]) }, /not UTF-8/],
    ['too long', paxHeader({ path: 'x'.repeat(241) }), /longer than 240 bytes/],
    ['too deep', { name: `${'d/'.repeat(45)}f` }, /nested deeper/],
    ['NUL by extended header', paxHeader({ path: 'a\0b' }), /control character/],
    ['parent by extended header', paxHeader({ path: '../../evil' }), /contains "\.\."/],
  ];
  it.each(hostile)('%s is refused and nothing is written outside', async (_what, entry, message) => {
    const parts = Buffer.isBuffer(entry) ? [entry, ok] : [entry];
    const error = await refusal(tarGz(parts));
    expect(error.code).toBe('INVALID_PACKAGE');
    expect(problemsOf(error)[0]?.message).toMatch(message);
    expect(problemsOf(error)[0]?.hint).toBeTruthy();
    expect(readdirSync(box)).toEqual([target.slice(box.length + 1)]);
    expect(existsSync('/etc/evil')).toBe(false);
  });

  const pairs: [string, RawEntry[], RegExp][] = [
    ['the same twice', [ok, ok], /in the package twice/],
    ['twins by case', [{ name: 'Main.py' }, { name: 'main.py' }], /ignore case/],
    ['twins by case of a folder', [{ name: 'Lib/a.py' }, { name: 'lib/b.py' }], /ignore case/],
    ['twins by normalisation', [{ name: 'caf\u00e9' }, { name: 'cafe\u0301' }], /Unicode form/],
    ['twins by special case folding', [{ name: 'stra\u00dfe' }, { name: 'STRASSE' }], /ignore case/],
    ['a file used as a folder', [{ name: 'a' }, { name: 'a/b' }], /file and as a folder/],
    ['a folder that is a file later', [{ name: 'a/b' }, { name: 'a' }], /file and as a folder/],
  ];
  it.each(pairs)('%s is refused', async (_what, entries, message) => {
    expect(problemsOf(await refusal(tarGz(entries)))[0]?.message).toMatch(message);
  });

  it('are all reported, and nothing is written once one is wrong', async () => {
    const error = await refusal(tarGz([{ name: '../a' }, ok, { name: 'NUL' }, { name: '/b' }]));
    expect(problemsOf(error).map(({ path }) => path)).toEqual(['../a', 'NUL', '/b']);
    expect(readdirSync(target)).toEqual([]);
  });
});

describe('kinds of entries', () => {
  const kinds: [string, RawEntry, RegExp][] = [
    ['symbolic link', { name: 'l', type: '2', link: '/etc/passwd' }, /symbolic link/],
    ['relative symbolic link', { name: 'l', type: '2', link: 'ok.txt' }, /symbolic link/],
    ['hard link', { name: 'l', type: '1', link: 'ok.txt' }, /hard link/],
    ['character device', { name: 'd', type: '3' }, /device/],
    ['block device', { name: 'd', type: '4' }, /device/],
    ['named pipe', { name: 'p', type: '6' }, /named pipe/],
    ['contiguous file', { name: 'c', type: '7' }, /unknown kind/],
    ['GNU sparse file', { name: 's', type: 'S' }, /unknown kind/],
  ];
  it.each(kinds)('%s is refused', async (_what, entry, message) => {
    const error = await refusal(tarGz([ok, entry]));
    expect(problemsOf(error)[0]?.message).toMatch(message);
  });

  it('a link cannot be written through', async () => {
    const error = await refusal(
      tarGz([
        { name: 'd', type: '2', link: box },
        { name: 'd/evil', content: 'x' },
      ]),
    );
    expect(problemsOf(error)[0]?.message).toMatch(/symbolic link/);
    expect(existsSync(join(box, 'evil'))).toBe(false);
  });

  it('a size in an extended header is refused: two readers would see two archives', async () => {
    const error = await refusal(tarGz([paxHeader({ size: '1' }), { name: 'a', content: 'abc' }]));
    expect(error.code).toBe('INVALID_PACKAGE');
  });
});

describe('damage', () => {
  const whole = Buffer.concat([tarEntry(ok), tarEntry({ name: 'b', content: 'x'.repeat(5000) }), END]);
  const cases: [string, Buffer, RegExp][] = [
    ['nothing at all', Buffer.alloc(0), /empty/],
    ['the beginning of a zip', Buffer.from('PK\u0003\u0004 zip'), /damaged/],
    ['plain text', Buffer.from('hello there, this is no package'), /neither a \.tar\.gz, nor a \.tar, nor a \.zip/],
    ['one byte', Buffer.from([0x1f]), /neither/],
    ['a plain tar that is cut', whole.subarray(0, 2000), /too early|damaged/],
    ['cut in the compression', gzipSync(whole).subarray(0, -9), /damaged|too early/],
    ['cut in a file', gzipSync(whole.subarray(0, 2000)), /too early|damaged/],
    ['cut before the end mark', gzipSync(whole.subarray(0, -1024)), /too early/],
    ['half an end mark', gzipSync(whole.subarray(0, -512)), /too early/],
    ['data after the end mark', gzipSync(Buffer.concat([whole, tarEntry({ name: 'late' }), END])), /after its end/],
    ['data after the compression', Buffer.concat([gzipSync(whole), Buffer.from('tail')]), /damaged/],
    ['a wrong checksum', gzipSync(Buffer.concat([Buffer.alloc(512, 7), END])), /damaged|impossible/],
    [
      'a huge extended header',
      gzipSync(Buffer.concat([tarEntry({ name: 'x', type: 'x', size: 10 ** 6 }), END])),
      /too large/,
    ],
  ];
  it.each(cases)('%s is told', async (_what, bytes, message) => {
    const error = await refusal(bytes);
    expect(error.code).toBe('INVALID_PACKAGE');
    expect(error.message).toMatch(message);
  });

  it('leaves the source open, so that a request can still be answered', async () => {
    const source = streamOf(Buffer.concat([tarGz([{ name: '../evil' }]), Buffer.alloc(200_000)]));
    await expect(unpackPackage(source, target)).rejects.toThrow(PlatformError);
    expect(source.destroyed).toBe(false);
    source.destroy();
  });

  it('a source that fails passes its own error on', async () => {
    const source = new Readable({
      read() {
        this.destroy(new Error('the line broke'));
      },
    });
    await expect(unpackPackage(source, target)).rejects.toThrow('the line broke');
  });
});

describe('limits', () => {
  it('packed bytes: TOO_LARGE', async () => {
    const bytes = tarGz([
      { name: 'a', content: Buffer.from(Array.from({ length: 9999 }, (_, i) => (i * 7919) % 251)) },
    ]);
    expect((await refusal(bytes, { packedBytes: bytes.length - 1 })).code).toBe('TOO_LARGE');
    await unpackPackage(streamOf(bytes), target, { packedBytes: bytes.length });
  });

  it('unpacked bytes', async () => {
    const bytes = tarGz([
      { name: 'a', content: 'x'.repeat(1000) },
      { name: 'b', content: 'x'.repeat(1000) },
    ]);
    expect((await refusal(bytes, { unpackedBytes: 1999 })).message).toMatch(/unpacks to more than/);
  });

  it('files', async () => {
    const bytes = tarGz([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    expect((await refusal(bytes, { files: 2 })).message).toMatch(/more than 2 files/);
    await unpackPackage(streamOf(bytes), mkdtempSync(join(box, 'more-')), { files: 3 });
  });

  it('endless folders', async () => {
    const folders = Array.from({ length: 9 }, (_, i) => ({ name: `d${i}/`, type: '5' }));
    expect((await refusal(tarGz(folders), { files: 4 })).message).toMatch(/more than 4 files/);
  });

  it('a bomb is stopped while it streams', async () => {
    const bytes = tarGz([{ name: 'zeros', content: Buffer.alloc(64 * 2 ** 20) }]);
    expect(bytes.length).toBeLessThan(100_000);
    const error = await refusal(bytes);
    expect(error.message).toMatch(/more than 200 times its size/);
    expect(statSync(join(target, 'zeros')).size).toBeLessThan(32 * 2 ** 20);
  });

  it('a lying size is told, not believed', async () => {
    const error = await refusal(tarGz([{ name: 'a', content: 'abc', size: 8 * 2 ** 30 }]));
    expect(error.message).toMatch(/too early|damaged/);
  });
});
