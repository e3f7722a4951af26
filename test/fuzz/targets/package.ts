import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { PlatformError } from '../../../src/contract/errors.ts';
import { unpackPackage } from '../../../src/packaging/unpack.ts';
import { readPackage } from '../../../src/project/read-package.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { END, paxHeader, type RawEntry, tarEntry } from '../../unit/packaging/raw-tar.ts';
import { type RawZipEntry, rawZip } from '../../unit/packaging/raw-zip.ts';
import { mutateBytes, mutateText } from '../mutate.ts';
import { expectThat, type FuzzTarget } from '../target.ts';

const CONFIG =
  'name: my-bot\nversion: "1.0.0"\ntype: realtime\nruntime: nodejs22\nentrypoints:\n  bot: bot.mjs\nschema:\n  bot: bot-schema.json\n';
const FILES: readonly RawEntry[] = [
  { name: 'bot-config.yaml', content: CONFIG },
  { name: 'bot-schema.json', content: '{"type":"object","properties":{}}' },
  { name: 'bot.mjs', content: 'console.log(1)\n' },
  { name: 'lib/', type: '5' },
  { name: 'lib/a.mjs', content: 'x'.repeat(700), mode: 0o755 },
];
const NAMES = [
  '../out',
  '/etc/x',
  'lib/../../out',
  'BOT.MJS',
  'a\\b',
  'C:/x',
  'CON',
  'x'.repeat(99),
  'lib',
  'lib/a.mjs/b',
  './bot.mjs',
  '',
  '.',
  'a\0b',
  'é',
  'e\u0301',
  'nul ',
  '.platform',
];
const TYPES = ['0', '1', '2', '3', '5', '6', '7', 'x', 'g', 'L', 'K', 'S', 'V', '\0', 'Z'];
const SIZES = [0, 1, 511, 512, 513, 100_000, 8_589_934_591];
const LIMITS = { unpackedBytes: 4 * 1024 * 1024, files: 200 };

function entryOf(random: SeededRandom): RawEntry {
  const base = random.pick(FILES);
  return {
    ...base,
    name: random.below(2) === 0 ? random.pick(NAMES) : mutateText(random, String(base.name), NAMES),
    ...(random.below(2) === 0 ? { type: random.pick(TYPES) } : {}),
    ...(random.below(4) === 0 ? { size: random.pick(SIZES) } : {}),
    ...(random.below(4) === 0 ? { link: random.pick(NAMES) } : {}),
    ...(random.below(4) === 0 ? { mode: random.below(0o10000) } : {}),
    content: random.below(4) === 0 ? 'y'.repeat(random.below(3000)) : (base.content ?? ''),
  };
}

function archive(random: SeededRandom): Buffer {
  const parts = FILES.map((file) => tarEntry(file));
  for (let more = random.below(4); more > 0; more--) {
    const field = random.pick(['path', 'size', 'linkpath', 'mtime', 'GNU.sparse.size', 'SCHILY.xattr.user.x']);
    const pax = paxHeader({ [field]: random.pick([...NAMES.filter((name) => !name.includes('\0')), '-1', '1e9']) });
    const extra = random.below(4) === 0 ? [pax, tarEntry(entryOf(random))] : [tarEntry(entryOf(random))];
    parts.splice(random.below(parts.length + 1), random.below(3) === 0 ? 1 : 0, Buffer.concat(extra));
  }
  const end = random.below(6) === 0 ? Buffer.alloc(random.below(2048)) : END;
  const whole = Buffer.concat([...parts, end]);
  return random.below(2) === 0 ? whole : Buffer.from(mutateBytes(random, whole.toString('latin1')), 'latin1');
}

function zipEntryOf(random: SeededRandom): RawZipEntry {
  const base = random.pick(FILES);
  return {
    name: random.below(2) === 0 ? random.pick(NAMES) : mutateText(random, String(base.name), NAMES),
    content: random.below(4) === 0 ? 'y'.repeat(random.below(3000)) : (base.content ?? ''),
    system: random.pick([0, 3, 3, 10, 19, 99]),
    ...(random.below(3) === 0 ? { mode: random.pick([0, 0o755, 0o120777, 0o040755, 0o020666, 0o100644]) } : {}),
    ...(random.below(4) === 0 ? { flags: random.pick([1, 0x41, 0x800, 0x2000, 0xffff]) } : {}),
    ...(random.below(4) === 0 ? { method: random.pick([0, 9, 12, 14, 93]) } : {}),
    ...(random.below(4) === 0 ? { size: random.pick(SIZES.slice(0, -1)) } : {}),
    ...(random.below(6) === 0 ? { crc: random.below(2 ** 31) } : {}),
    ...(random.below(6) === 0 ? { at: random.below(FILES.length) } : {}),
    hasDescriptor: random.below(3) === 0,
    isZip64: random.below(5) === 0,
  };
}

function zip(random: SeededRandom): string {
  const top = random.below(2) === 0 ? 'bot/' : '';
  const entries: RawZipEntry[] = FILES.map(({ name, content = '' }) => ({ name: `${top}${name}`, content }));
  for (let more = random.below(4); more > 0; more--)
    entries.splice(random.below(entries.length + 1), random.below(3) === 0 ? 1 : 0, zipEntryOf(random));
  return rawZip(entries).toString('latin1');
}

/** A package as it is published: refused, or unpacked into its folder and nowhere else. */
export const packages: FuzzTarget = {
  name: 'package',
  limitMs: 15_000,
  make(random: SeededRandom) {
    const packed = random.below(2) === 0 ? zip(random) : gzipSync(archive(random), { level: 1 }).toString('latin1');
    return random.below(4) === 0 ? mutateBytes(random, packed) : packed;
  },
  async open(dir) {
    let number = 0;
    return {
      async run(input) {
        const target = join(dir, `cage-${number++}`);
        mkdirSync(target);
        try {
          const unpacked = await unpackPackage(Readable.from([Buffer.from(input, 'latin1')]), target, LIMITS);
          expectThat(
            unpacked.files.every(({ path }) => existsSync(join(target, path))),
            'a file that is listed is not there',
          );
          const paths = unpacked.files.map(({ path }) => path);
          await readPackage(target, paths, { os: 'linux', arch: 'x64' });
        } catch (error) {
          const isRefusal = error instanceof PlatformError && ['INVALID_PACKAGE', 'TOO_LARGE'].includes(error.code);
          if (!isRefusal) throw error;
        }
        const others = readdirSync(dir).filter((name) => name !== `cage-${number - 1}`);
        expectThat(others.length === 0, `written outside of the folder: ${others.join(', ')}`);
        rmSync(target, { recursive: true, force: true });
      },
      close: () => Promise.resolve(),
    };
  },
};
