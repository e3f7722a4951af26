import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlatformError, type Problem } from '../../../src/contract/errors.ts';
import { packFolder } from '../../../src/packaging/pack.ts';
import { type Unpacked, unpackPackage } from '../../../src/packaging/unpack.ts';
import type { UnpackLimits } from '../../../src/packaging/unpack-limits.ts';
import { streamOf } from './raw-tar.ts';
import { type RawZipEntry, rawZip, unicodePath } from './raw-zip.ts';

let box: string;
let target: string;

beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), 'unzip-'));
  target = mkdtempSync(join(box, 'in-'));
});
afterEach(() => rmSync(box, { recursive: true, force: true }));

const unzip = (bytes: Buffer, limits: Partial<UnpackLimits> = {}): Promise<Unpacked> =>
  unpackPackage(streamOf(bytes, 1000), target, limits);

async function refusal(bytes: Buffer, limits: Partial<UnpackLimits> = {}): Promise<PlatformError> {
  try {
    await unzip(bytes, limits);
  } catch (error) {
    expect(readdirSync(box)).toEqual([target.slice(box.length + 1)]);
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('the package was accepted');
}

const problemsOf = (error: PlatformError) =>
  (error.details as Problem[]).map(({ path, message }) => `${path} ${message}`);
const pathsOf = ({ files }: Unpacked) => files.map(({ path }) => path);

const CONFIG =
  'name: my-bot\nversion: "1.0.0"\ntype: realtime\nruntime: nodejs22\nentrypoints:\n  bot: bot.mjs\nschema:\n  bot: bot-schema.json\n';
const PROJECT: Readonly<Record<string, string>> = {
  'bot-config.yaml': CONFIG,
  'bot-schema.json': '{"type":"object"}',
  'bot.mjs': 'console.log(1)\n',
  'lib/a.mjs': 'export {}\n',
};
const entriesOf = (files: Readonly<Record<string, string>>, more: Partial<RawZipEntry> = {}, top = ''): RawZipEntry[] =>
  Object.entries(files).map(([name, content]) => ({ ...more, name: `${top}${name}`, content }));
const ok: RawZipEntry = { name: 'ok.txt', content: 'fine' };

function writeProject(files: Readonly<Record<string, string>> = PROJECT): string {
  const dir = join(box, 'my-bot');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

/** The content hash that publishing the folder gives. */
async function hashOfFolder(dir: string): Promise<string> {
  const packed = await packFolder(dir);
  await buffer(packed.stream);
  return packed.summary().hash;
}

const has = (program: string): boolean => {
  try {
    execFileSync(program, ['-h'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

describe('a zip of an ordinary program', () => {
  it('has the content of what `platform custom-bot deploy` makes of the folder', async () => {
    const dir = writeProject();
    const hash = await hashOfFolder(dir);
    rmSync(dir, { recursive: true });
    const unpacked = await unzip(rawZip(entriesOf(PROJECT)));
    expect(unpacked.hash).toBe(hash);
    expect(unpacked.leftOut).toEqual([]);
    expect(readFileSync(join(target, 'lib/a.mjs'), 'utf8')).toBe('export {}\n');
    expect(statSync(join(target, 'lib/a.mjs')).mode & 0o777).toBe(0o444);
    expect(readdirSync(box)).toEqual([target.slice(box.length + 1)]);
  });

  it.runIf(has('zip')).each([
    ['a folder', ['-r', '../x.zip', '.'], 'my-bot'],
    ['a folder in a folder', ['-r', 'x.zip', 'my-bot'], ''],
    ['as a stream', ['-r', '-fd', '../x.zip', '.'], 'my-bot'],
    ['without compression', ['-0', '-r', '../x.zip', '.'], 'my-bot'],
    ['in zip64', ['-r', '-fz', '../x.zip', '.'], 'my-bot'],
  ])('zip -r: %s', async (_what, args, cwd) => {
    const dir = writeProject({ ...PROJECT, 'run.sh': '#!/bin/sh\n', 'grün.txt': 'UTF-8' });
    chmodSync(join(dir, 'run.sh'), 0o755);
    const hash = await hashOfFolder(dir);
    execFileSync('zip', ['-q', ...args], { cwd: join(box, cwd) });
    const bytes = readFileSync(join(box, 'x.zip'));
    rmSync(join(box, 'x.zip'));
    const unpacked = await unzip(bytes);
    expect(pathsOf(unpacked)).toContain('grün.txt');
    expect(unpacked.files.find(({ path }) => path === 'run.sh')?.executable).toBe(true);
    expect(unpacked.hash).toBe(hash);
  });

  it.runIf(has('python3'))('zipfile of Python', async () => {
    const dir = writeProject();
    const hash = await hashOfFolder(dir);
    execFileSync('python3', ['-m', 'zipfile', '-c', '../x.zip', ...readdirSync(dir)], { cwd: dir });
    const bytes = readFileSync(join(box, 'x.zip'));
    rmSync(join(box, 'x.zip'));
    rmSync(dir, { recursive: true });
    expect((await unzip(bytes)).hash).toBe(hash);
  });

  it('the Finder: with its notes, data descriptors, and names in UTF-8 that it does not call so', async () => {
    const finder = { hasDescriptor: true };
    const files = { ...PROJECT, 'Grün.md': 'x' };
    const notes = Object.keys(files).map((name) => ({ ...finder, name: `__MACOSX/my-bot/._${name}`, content: 'note' }));
    const folders = ['my-bot/', 'my-bot/lib/', '__MACOSX/', '__MACOSX/my-bot/'].map((name) => ({ name }));
    const store = { ...finder, name: 'my-bot/.DS_Store', content: 'store' };
    const unpacked = await unzip(rawZip([...folders, ...entriesOf(files, finder, 'my-bot/'), store, ...notes]));
    expect(pathsOf(unpacked)).toEqual(['Grün.md', 'bot-config.yaml', 'bot-schema.json', 'bot.mjs', 'lib/a.mjs']);
    expect(unpacked.leftOut).toEqual([]);
  });

  it('Explorer: without executable bits, so that the first bytes of a file tell a program', async () => {
    const files = { ...PROJECT, run: '#!/bin/sh\n', 'desktop.ini': '[x]' };
    const { files: found } = await unzip(rawZip(entriesOf(files, { system: 0 }, 'My bot/')));
    expect(found.filter(({ executable }) => executable).map(({ path }) => path)).toEqual(['run']);
    expect(found.map(({ path }) => path)).not.toContain('desktop.ini');
  });

  it('programs of Windows that write backslashes', async () => {
    const files = entriesOf(PROJECT, { system: 0 }).map((one) => ({
      ...one,
      name: String(one.name).replace('/', '\\'),
    }));
    expect(pathsOf(await unzip(rawZip(files)))).toContain('lib/a.mjs');
  });

  it('leaves out what no package holds, and says so', async () => {
    const rest = { '.git/HEAD': 'x', '.git/objects/a': 'y', '.env': 'KEY=1', 'tests/t.mjs': 'x', 'debug.log': 'x' };
    const unpacked = await unzip(rawZip([{ name: 'lib/' }, ...entriesOf({ ...PROJECT, ...rest })]));
    expect(pathsOf(unpacked)).toEqual(Object.keys(PROJECT));
    expect(unpacked.leftOut).toEqual(['.env', '.git/', 'debug.log', 'tests/']);
    expect(existsSync(join(target, '.env'))).toBe(false);
  });

  it('follows the .platformignore in it, and keeps what bot-config.yaml names', async () => {
    const files = { ...PROJECT, '.platformignore': 'lib/\n*.mjs\n!.env.example\n', '.env.example': 'KEY=\n' };
    const unpacked = await unzip(rawZip(entriesOf(files, {}, 'top/')));
    expect(pathsOf(unpacked)).toEqual([
      '.env.example',
      '.platformignore',
      'bot-config.yaml',
      'bot-schema.json',
      'bot.mjs',
    ]);
    expect(unpacked.leftOut).toEqual(['lib/']);
  });

  it('does not mind links where nothing is packed, and launchers of npm', async () => {
    const link = { mode: 0o120777, content: 'target' };
    const links = [
      { ...link, name: '.venv/bin/python' },
      { ...link, name: 'node_modules/.bin/x' },
    ];
    expect(pathsOf(await unzip(rawZip([...entriesOf(PROJECT), ...links])))).toEqual(Object.keys(PROJECT));
  });
});

describe('names', () => {
  const raw = Buffer.from([0x67, 0x72, 0x81, 0x6e]);
  it('are read in UTF-8 where the zip says so, or holds the name in UTF-8 beside another one', async () => {
    const entries = [
      { name: 'läuft.txt', flags: 0x800, system: 0 },
      { name: raw, extra: unicodePath(raw, 'grün') },
    ];
    expect(
      pathsOf(await unzip(rawZip([...entriesOf(PROJECT), ...entries]))).filter((path) => /[äü]/.test(path)),
    ).toEqual(['grün', 'läuft.txt']);
  });

  const unknown: [string, RawZipEntry][] = [
    ['of an old code page', { name: raw, system: 0 }],
    ['with a field that belongs to another name', { name: raw, extra: unicodePath(Buffer.from('other'), 'grün') }],
    ['that are called UTF-8 and are not', { name: raw, flags: 0x800 }],
  ];
  it.each(unknown)('%s are refused', async (_what, entry) => {
    const error = await refusal(rawZip([ok, entry]));
    expect(problemsOf(error)).toEqual(['gr_n has a name in an encoding that the zip does not name']);
    expect(error.hint).toMatch(/letters from a to z/);
  });

  const hostile: [string, RawZipEntry[], RegExp][] = [
    ['parent', [{ name: '../evil' }], /contains "\.\."/],
    ['parent, of everything', [{ name: '../bot-config.yaml' }, { name: '../evil' }], /contains "\.\."/],
    ['parent inside', [{ name: 'a/../../evil' }], /contains "\.\."/],
    ['parent by backslash', [{ name: 'a\\..\\..\\evil', system: 0 }], /contains "\.\."/],
    ['backslash of Unix', [{ name: 'a\\..\\evil' }], /backslash/],
    ['absolute', [{ name: '/etc/evil' }], /absolute path/],
    ['drive letter', [{ name: 'C:\\evil', system: 0 }], /absolute path/],
    ['unc', [{ name: '\\\\host\\share', system: 0 }], /absolute path|empty part/],
    ['empty', [{ name: '' }], /is empty/],
    ['reserved', [{ name: 'sub/CON' }], /Windows reserves/],
    ['control character', [{ name: 'a\nb' }], /control character/],
    ['not seen', [{ name: 'ma\u200Bin.py' }], /not seen/],
    ['parent beside another name', [{ name: 'x', extra: unicodePath(Buffer.from('x'), '../evil') }], /contains "\.\."/],
    ['the same twice', [ok, ok], /in the package twice/],
    ['twins by case', [{ name: 'Main.py' }, { name: 'main.py' }], /ignore case/],
    ['twins by case of a folder', [{ name: 'Lib/a.py' }, { name: 'lib/b.py' }], /ignore case/],
    ['twins by normalisation', [{ name: 'caf\u00e9' }, { name: 'cafe\u0301' }], /Unicode form/],
    ['a file used as a folder', [{ name: 'a' }, { name: 'a/b' }], /file and as a folder/],
    ['a file that is a folder, too', [{ name: 'a' }, { name: 'a/' }], /file and as a folder/],
  ];
  it.each(hostile)('%s is refused and nothing is written', async (_what, entries, message) => {
    const error = await refusal(rawZip([{ name: 'first.txt' }, ...entries]));
    expect(error.code).toBe('INVALID_PACKAGE');
    expect(problemsOf(error)[0]).toMatch(message);
    expect(error.hint).toBeTruthy();
    expect(readdirSync(target)).toEqual([]);
  });

  it('are all reported', async () => {
    const error = await refusal(rawZip([{ name: '../a' }, ok, { name: 'NUL' }, { name: '/b' }]));
    expect((error.details as Problem[]).map(({ path }) => path)).toEqual(['../a', 'NUL', '/b']);
  });
});

describe('kinds and methods', () => {
  const kinds: [string, RawZipEntry, RegExp][] = [
    ['a symbolic link', { name: 'l', mode: 0o120777, content: '/etc/passwd' }, /symbolic link/],
    ['a link to a folder of it', { name: 'l/', mode: 0o120777, content: '/etc' }, /folder with content/],
    ['a device', { name: 'd', mode: 0o020666 }, /device/],
    ['a pipe', { name: 'p', mode: 0o010666 }, /named pipe/],
    ['an encrypted file', { name: 'e', flags: 1, content: 'x'.repeat(20) }, /is encrypted/],
    ['Deflate64', { name: 'm', method: 9, content: 'x' }, /method that is not read here \(number 9\)/],
    ['Zstandard', { name: 'm', method: 93, content: 'x' }, /\(number 93\)/],
    ['a folder with content', { name: 'f/', content: 'x' }, /folder with content/],
  ];
  it.each(kinds)('%s is refused', async (_what, entry, message) => {
    const error = await refusal(rawZip([ok, entry]));
    expect(error.code).toBe('INVALID_PACKAGE');
    expect(error.message).toMatch(message);
    expect(error.hint).toBeTruthy();
  });

  it('a strongly encrypted zip is refused as such', async () => {
    expect((await refusal(rawZip([{ name: 'e', flags: 0x41, content: 'x' }]))).message).toMatch(/is encrypted/);
  });

  it.runIf(has('zip'))('a link that zip -y keeps is refused, and its target stays unread', async () => {
    const dir = writeProject();
    symlinkSync('/etc/passwd', join(dir, 'passwd'));
    execFileSync('zip', ['-q', '-r', '-y', '../x.zip', '.'], { cwd: dir });
    const bytes = readFileSync(join(box, 'x.zip'));
    rmSync(join(box, 'x.zip'));
    rmSync(dir, { recursive: true });
    expect((await refusal(bytes)).message).toMatch(/passwd: is a symbolic link/);
  });
});

describe('damage', () => {
  const whole = rawZip([ok, { name: 'b', content: 'x'.repeat(5000) }]);
  const lies = (entry: Partial<RawZipEntry>) => rawZip([ok, { name: 'b', content: 'x'.repeat(5000), ...entry }]);
  const cases: [string, Buffer, RegExp][] = [
    ['cut', whole.subarray(0, -9), /damaged/],
    ['cut to its first bytes', whole.subarray(0, 40), /damaged/],
    ['only its mark', Buffer.from('PK'), /damaged/],
    ['more after its end', Buffer.concat([whole, Buffer.from('tail')]), /damaged/],
    ['another checksum', lies({ crc: 1 }), /damaged: "b" has another checksum/],
    ['a smaller size', lies({ size: 10 }), /damaged/],
    ['a larger size', lies({ size: 10_000 }), /damaged/],
    [
      'a part of several',
      Buffer.concat([whole.subarray(0, -18), Buffer.from([1, 0]), whole.subarray(-16)]),
      /part of several/,
    ],
  ];
  it.each(cases)('%s is told', async (_what, bytes, message) => {
    const error = await refusal(bytes);
    expect(error.code).toBe('INVALID_PACKAGE');
    expect(error.message).toMatch(message);
  });

  it('of one file ends the writing of the others before it is told', async () => {
    const others = Array.from({ length: 300 }, (_, i) => ({ name: `f${i}`, content: 'x'.repeat(1000) }));
    await refusal(rawZip([{ name: 'b', content: 'x', crc: 1 }, ...others]));
    const written = readdirSync(target).length;
    expect(written).toBeLessThan(200);
    // What were still at work would not find the folder.
    rmSync(target, { recursive: true });
    await turn();
    expect(existsSync(target)).toBe(false);
  });

  it('a zip without a file is unpacked to nothing, as which it will be refused', async () => {
    expect((await unzip(rawZip([]))).files).toEqual([]);
  });

  it('an upload that breaks off passes its own error on, and leaves no file', async () => {
    const sent = async function* () {
      yield rawZip([{ name: 'a', content: 'x'.repeat(5000), method: 0 }]).subarray(0, 2000);
      throw new Error('the line broke');
    };
    await expect(unpackPackage(Readable.from(sent()), target)).rejects.toThrow('the line broke');
    expect(readdirSync(box)).toEqual([target.slice(box.length + 1)]);
  });
});

describe('limits', () => {
  const random = Buffer.from(Array.from({ length: 9999 }, (_, i) => (i * 7919) % 251));
  it('packed bytes: TOO_LARGE, before the rest is read', async () => {
    const bytes = rawZip([{ name: 'a', content: random }]);
    expect((await refusal(bytes, { packedBytes: bytes.length - 1 })).code).toBe('TOO_LARGE');
    await unzip(bytes, { packedBytes: bytes.length });
  });

  it('unpacked bytes, before any is written', async () => {
    const bytes = rawZip([
      { name: 'a', content: 'x'.repeat(1000) },
      { name: 'b', content: 'x'.repeat(1000) },
    ]);
    expect((await refusal(bytes, { unpackedBytes: 1999 })).message).toMatch(/unpacks to more than/);
    expect(readdirSync(target)).toEqual([]);
  });

  it('files, and entries of any kind', async () => {
    const bytes = rawZip([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    expect((await refusal(bytes, { files: 2 })).message).toMatch(/more than 2 files/);
    const folders = Array.from({ length: 20 }, (_, i) => ({ name: `d${i}/` }));
    expect((await refusal(rawZip(folders), { files: 4 })).message).toMatch(/more than 4 files/);
  });

  it('what is left out does not count', async () => {
    const bytes = rawZip([{ name: 'a' }, { name: 'b' }, { name: '.git/c', content: 'x'.repeat(9999) }]);
    expect(pathsOf(await unzip(bytes, { files: 2, unpackedBytes: 100 }))).toEqual(['a', 'b']);
  });

  it('a bomb is refused by the sizes that it states, and one that lies by those that it has', async () => {
    const zeros = Buffer.alloc(32 * 2 ** 20);
    expect((await refusal(rawZip([{ name: 'zeros', content: zeros }]))).message).toMatch(
      /more than 200 times its size/,
    );
    expect((await refusal(rawZip([{ name: 'zeros', content: zeros, size: 1000 }]))).message).toMatch(/damaged/);
    expect(statSync(join(target, 'zeros')).size).toBeLessThan(2 ** 20);
  });

  it('files that share their content are refused', async () => {
    const one = { content: random, method: 0 };
    const twins = Array.from({ length: 3 }, (_, i) => ({ ...one, name: `f${i}`, at: 0 }));
    const whole = rawZip(twins);
    // Only the content of the first is there.
    const list = whole.indexOf(Buffer.from('PK\u0001\u0002'));
    const first = whole.indexOf(Buffer.from('PK\u0003\u0004'), 10);
    const cut = Buffer.concat([whole.subarray(0, first), whole.subarray(list)]);
    cut.writeUInt32LE(first, cut.length - 6);
    expect((await refusal(cut)).message).toMatch(/share their content/);
  });
});
