import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { ROOT } from '../platform.ts';
import { isMadeFrom, smallPng } from './small-png.ts';

const KEPT = join(ROOT, 'test/e2e/dashboard/pictures');
const TOLD = join(ROOT, 'test-results/pictures');
/** Pictures are updated instead of compared: `npm run pictures`. */
const UPDATES = process.env.PLATFORM_TEST_PICTURES === 'update';

/**
 * What may differ, as a difference in colour and a share of the pixels that may have it. The edges of letters are rounded
 * differently from machine to machine, and have fewer colours in the kept pictures; a ground or a line in another colour
 * is faint, but wide.
 */
const PLAIN = { threshold: 0.1, share: 0, pixels: 60 };
const FAINT = { threshold: 0.02, share: 0.02, pixels: 0 };

/**
 * Compares a picture with the kept one of this name; null when they are the same, else what is to be said about it.
 * The kept one, what is seen now, and where they differ are then in `test-results/pictures`.
 */
export function comparePicture(name: string, picture: Buffer): string | null {
  const kept = join(KEPT, `${name}.png`);
  if (UPDATES) {
    mkdirSync(KEPT, { recursive: true });
    writeFileSync(kept, smallPng(picture));
    return null;
  }
  if (!existsSync(kept)) {
    return `${name}: there is no picture of it yet. npm run pictures makes it; look at it before you commit it.`;
  }
  const small = readFileSync(kept);
  if (isMadeFrom(small, picture)) return null;
  const before = PNG.sync.read(small);
  const now = PNG.sync.read(picture);
  const { width, height } = now;
  if (before.width !== width || before.height !== height) {
    return `${name}: it is ${width} x ${height}, and was ${before.width} x ${before.height}`;
  }
  const difference = new PNG({ width, height });
  const differ = ({ threshold }: typeof PLAIN): number =>
    pixelmatch(before.data, now.data, difference.data, width, height, { threshold });
  const isIn = (count: number, { share, pixels }: typeof PLAIN): boolean =>
    count <= Math.max(pixels, share * width * height);
  const faint = differ(FAINT);
  const plain = differ(PLAIN);
  if (isIn(faint, FAINT) && isIn(plain, PLAIN)) return null;
  const count = isIn(plain, PLAIN) ? differ(FAINT) : plain;
  mkdirSync(TOLD, { recursive: true });
  const path = (kind: string): string => join(TOLD, `${name}.${kind}.png`);
  writeFileSync(path('before'), small);
  writeFileSync(path('now'), picture);
  writeFileSync(path('difference'), PNG.sync.write(difference));
  return `${name}: ${count} pixels differ, see ${relative(ROOT, path('difference'))}. If it is meant so: npm run pictures`;
}

/** Names of kept pictures that nothing is compared with; an update removes them. */
export function leftOverPictures(names: ReadonlySet<string>): readonly string[] {
  const kept = existsSync(KEPT) ? readdirSync(KEPT).map((file) => file.replace(/\.png$/, '')) : [];
  const leftOver = kept.filter((name) => !names.has(name));
  if (!UPDATES) return leftOver;
  for (const name of leftOver) rmSync(join(KEPT, `${name}.png`));
  return [];
}
