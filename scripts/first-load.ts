// The files that a browser loads before the dashboard shows anything: the page and all that it names.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Sizes in bytes: as it lies on disk, and as a server would send it. */
export interface Size {
  readonly raw: number;
  readonly gzip: number;
  readonly brotli: number;
}

export function sizeOf(content: Buffer): Size {
  return { raw: content.length, gzip: gzipSync(content).length, brotli: brotliCompressSync(content).length };
}

/** The built page of a folder, and the programs and styles that it names, by file. */
export function firstLoad(dir: string): ReadonlyMap<string, Size> {
  const page = readFileSync(join(dir, 'index.html'));
  const named = [...page.toString('utf8').matchAll(/(?:src|href)="(\.?\/assets\/[^"]+\.(?:js|css))"/g)];
  const files = named.map((match) => (match[1] ?? '').replace(/^\.?\//, ''));
  if (files.length === 0) throw new Error(`${dir}/index.html names no program: build it first`);
  return new Map([
    ['index.html', sizeOf(page)],
    ...files.map((file) => [file, sizeOf(readFileSync(join(dir, file)))] as const),
  ]);
}

export function total(sizes: Iterable<Size>): Size {
  const sum = { raw: 0, gzip: 0, brotli: 0 };
  for (const { raw, gzip, brotli } of sizes) {
    sum.raw += raw;
    sum.gzip += gzip;
    sum.brotli += brotli;
  }
  return sum;
}
